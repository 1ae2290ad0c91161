import io
import re
from collections import Counter
from gettext import GNUTranslations

import pytest
from django.conf import settings

from lifecycle_site.catalogs import compile_catalog
from simulator.web.base.outside_texts import outside_texts
from simulator.web.base.settings_words import CODE_WORDS, version_notes

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|(?<!%)%[sd]")
LOCALES = ["zh_Hans", "zh_Hant"]


def source(locale):
    return settings.BASE_DIR / "locale" / locale / "LC_MESSAGES" / "django.po"


def pairs(locale):
    catalog = GNUTranslations(io.BytesIO(compile_catalog(source(locale))))._catalog
    return [(key[0] if isinstance(key, tuple) else key, text) for key, text in catalog.items() if key]


@pytest.mark.parametrize("locale", LOCALES)
def test_every_text_is_translated(locale):
    texts = re.findall(r'^msgid (?!""\n(?:msgstr|$))', source(locale).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(pairs(locale)) >= len(texts) - 1


@pytest.mark.parametrize("locale", LOCALES)
def test_no_text_has_two_translations(locale):
    texts = Counter(re.findall(r'^msgid "(.+)"$', source(locale).read_text(encoding="utf-8"), re.MULTILINE))
    assert [text for text, number in texts.items() if number > 1] == []


@pytest.mark.parametrize("locale", LOCALES)
def test_no_translation_waits_for_a_second_look(locale):
    text = source(locale).read_text(encoding="utf-8")
    assert "fuzzy" not in text and "#~" not in text


@pytest.mark.parametrize("locale", LOCALES)
def test_translations_keep_the_placeholders(locale):
    changed = [(key, text) for key, text in pairs(locale) if set(PLACEHOLDER.findall(key)) != set(PLACEHOLDER.findall(text))]
    assert changed == []


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("word", ["CrashLoopBackOff", "Terminating", "`Ready`", "`restartCount`", "OOMKilled"])
def test_api_words_are_never_translated(locale, word):
    assert all(word in text for key, text in pairs(locale) if word in key)


def untranslated(locale, texts):
    catalog = dict(pairs(locale))
    return [text for text in texts if not catalog.get(text)]


@pytest.mark.parametrize("locale", LOCALES)
def test_every_note_of_a_version_is_translated(locale):
    assert untranslated(locale, version_notes()) == []


@pytest.mark.parametrize("locale", LOCALES)
def test_every_value_of_a_version_is_translated(locale):
    assert untranslated(locale, CODE_WORDS.values()) == []


@pytest.mark.parametrize("locale", LOCALES)
def test_every_text_of_stories_scripts_and_versions_is_translated(locale):
    assert untranslated(locale, outside_texts()) == []
