"""The fidelity page and document."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.html import escape
from django.utils.translation import override

from simulator.engine import REVISION
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.engine.versions import MINORS, about
from simulator.engine.versions.patches import PATCHES, patch_of
from simulator.fidelity.document import document
from simulator.fidelity.measured import Disagreement, Measured, Stamp, Suite, read_measured, read_unread
from simulator.fidelity.reasons import REASONS
from simulator.fidelity.rows import rule_rows
from simulator.management.commands import fidelity as command
from simulator.web.base.settings_words import note_text


def test_names_of_what_is_compared_are_in_the_readers_language(client: Client) -> None:
    text = client.get("/fidelity/", headers={"Accept-Language": "zh-hans"}).content.decode()
    suites = [suite for suite in read_measured().suites if suite.kind not in ("cases", "examples")]
    assert len(suites) > 8
    assert [suite.name for suite in suites if suite.name in text] == []


def test_page_shows_every_rule(client: Client) -> None:
    text = client.get("/fidelity/").content.decode()
    assert [rule for rule in RULEBOOK if f'id="{rule}"' not in text] == []


def test_page_names_settings_that_nothing_depends_on(client: Client) -> None:
    text = client.get("/fidelity/").content.decode()
    assert [field for field in read_unread() if f"<code>{field}</code>" not in text] == []


def test_page_says_in_chinese_what_nothing_depends_on(client: Client) -> None:
    text = client.get("/fidelity/", headers={"Accept-Language": "zh-hans"}).content.decode()
    with override("zh-hans"):
        notes = [escape(note_text(about(field).note)) for field in read_unread()]
    assert [note for note in notes if f"</code> {note}</li>" not in text] == []


def test_page_says_which_patch_each_minor_stands_for(client: Client) -> None:
    text = client.get("/fidelity/").content.decode()
    assert [minor for minor in MINORS if f"<td>{minor}</td><td>{patch_of(minor)}</td>" not in text] == []


def test_page_and_document_say_why_a_minor_stands_for_another_patch(client: Client) -> None:
    text, written = client.get("/fidelity/").content.decode(), document(rule_rows(), read_measured())
    assert [each.reason for each in PATCHES.exceptions if escape(each.reason) not in text or each.reason not in written] == []


def test_page_says_in_chinese_why_a_minor_stands_for_another_patch(client: Client) -> None:
    text = client.get("/fidelity/", headers={"Accept-Language": "zh-hant"}).content.decode()
    assert [each.reason for each in PATCHES.exceptions if escape(each.reason) in text] == []


def test_document_says_which_patch_each_minor_stands_for() -> None:
    text = document(rule_rows(), read_measured())
    assert "| 1.20 | 1.20.2 |" in text and "| 1.35 | 1.35.9 |" in text


def test_search_narrows_the_rules(client: Client) -> None:
    text = client.get("/fidelity/", {"q": "startup probe killed"}).content.decode()
    assert 'id="KILL-STARTUP"' in text
    assert 'id="QOS-GUARANTEED"' not in text


def test_search_without_a_match_offers_all(client: Client) -> None:
    assert "No rule matches" in client.get("/fidelity/", {"q": "nothing-has-this-name"}).content.decode()


def test_document_is_up_to_date() -> None:
    call_command("fidelity", "--check")


def test_document_rounds_down() -> None:
    suite = Suite(kind="cases", name="x", agree=9999, total=10000)
    assert "99.9 %" in document([], Measured(suites=(suite,)))


def test_document_says_where_a_difference_has_no_reason() -> None:
    text = document([], Measured(differences=(Disagreement(kind="recordings", name="new", lines=("p phase: late",)),)))
    assert "Not explained yet" in text


def test_every_remaining_difference_has_a_reason() -> None:
    assert [item.name for item in read_measured().differences if item.name not in REASONS] == []


def test_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="--cases"):
        call_command("fidelity", "--cases", "/no/such/folder")


def test_every_rule_has_a_row() -> None:
    assert [row.rule.id for row in rule_rows()] == list(RULEBOOK)


OLD, NEW = Stamp("2030-01-01", "aaaa", 2), Stamp("2030-02-02", "bbbb", 3)


def test_document_says_what_was_measured_kind_by_kind() -> None:
    text = document([], Measured(stamps={"cases": NEW, "describe": OLD, "recordings": OLD}))
    assert "at commit aaaa on 2030-01-01, engine revision 2: recordings of a real node, output of kubectl describe." in text
    assert "at commit bbbb on 2030-02-02, engine revision 3: case tables." in text


def test_document_tells_of_a_set_that_no_run_asks() -> None:
    text = document([], Measured(suites=(Suite(kind="cases", name="x", agree=1, total=1, note="Nobody asks."),)))
    assert "- `x`: Nobody asks." in text


def test_page_says_what_was_measured(client: Client) -> None:
    (stamp, _), *_ = read_measured().stamped()
    assert f"commit {stamp.commit} on {stamp.date}" in client.get("/fidelity/").content.decode()


def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **options: str) -> Measured:
    """What the command would store for one family of cases; it writes nothing here."""
    (tmp_path / "qos.json").write_text('{"cases": []}', encoding="utf-8")
    kept: list[Measured] = []
    monkeypatch.setattr(command, "write_measured", kept.append)
    monkeypatch.setattr(Path, "write_text", lambda self, text, encoding: len(text))
    call_command("fidelity", cases=tmp_path, stdout=StringIO(), **options)
    return kept[0]


def test_measure_bears_the_given_commit_and_day(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    measured = written(monkeypatch, tmp_path, commit="cccc", date="2031-03-03")
    assert measured.stamps["cases"] == Stamp("2031-03-03", "cccc", REVISION)


def test_what_is_not_measured_keeps_its_stamp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    measured = written(monkeypatch, tmp_path, commit="cccc", date="2031-03-03")
    assert measured.stamps["recordings"] == read_measured().stamps["recordings"]


def test_measure_without_git_asks_for_the_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "_git", lambda *words: "")
    with pytest.raises(CommandError, match="--commit"):
        written(monkeypatch, tmp_path)
