import gettext
import io

import pytest

from lifecycle_site.catalogs import compile_catalog

CATALOG = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

#. about pods
msgid "pod"
msgstr "容器組"

msgctxt "verb"
msgid "run"
msgstr "執行"
#, python-format
msgid "%d pod"
msgid_plural "%d pods"
msgstr[0] "%d Hülse"
msgstr[1] "%d Hülsen"

msgid "tight"
msgstr "eng"
msgid "entries"
msgstr "Einträge"

msgid ""
"two "
"lines"
msgstr "zwei "
"Zeilen"

#, fuzzy
#| msgid "gues"
msgid "guess"
msgstr "geraten"

msgid "sure"
msgstr "sicher"
#, fuzzy
msgid "after"
msgstr "danach"

msgid "open"
msgstr ""

#~ msgid "old"
#~ msgstr "alt"
"""


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "x.po"
    path.write_text(CATALOG, encoding="utf-8")
    return gettext.GNUTranslations(io.BytesIO(compile_catalog(path)))


def test_catalog_translates_a_text(texts):
    assert texts.gettext("pod") == "容器組"


def test_catalog_tells_contexts_apart(texts):
    assert (texts.pgettext("verb", "run"), texts.gettext("run")) == ("執行", "run")


def test_catalog_has_plurals(texts):
    assert [texts.ngettext("%d pod", "%d pods", n) for n in (1, 2)] == ["%d Hülse", "%d Hülsen"]


def test_catalog_joins_lines(texts):
    assert texts.gettext("two lines") == "zwei Zeilen"


@pytest.mark.parametrize("text", ["guess", "after", "open", "old"])
def test_catalog_leaves_out_what_is_not_finished(texts, text):
    assert texts.gettext(text) == text


def test_broken_catalog_is_reported_with_its_line(tmp_path):
    path = tmp_path / "x.po"
    path.write_text('msgid "a"\nmsgstr "b', encoding="utf-8")
    with pytest.raises(SyntaxError, match="line 2"):
        compile_catalog(path)


def test_entries_need_no_empty_line_between_them(texts):
    assert [texts.gettext(text) for text in ("tight", "entries", "sure")] == ["eng", "Einträge", "sicher"]
