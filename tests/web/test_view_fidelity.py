"""The fidelity page, and the document beside it."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from simulator.engine.rulebook import RULEBOOK
from simulator.fidelity.document import document
from simulator.fidelity.measured import Difference, Measured, Suite, read_measured, read_unread
from simulator.fidelity.reasons import REASONS
from simulator.fidelity.rows import rule_rows


def test_page_shows_every_rule(client: Client) -> None:
    text = client.get("/fidelity/").content.decode()
    assert [rule for rule in RULEBOOK if f'id="{rule}"' not in text] == []


def test_page_names_settings_that_nothing_depends_on(client: Client) -> None:
    text = client.get("/fidelity/").content.decode()
    assert [field for field in read_unread() if f"<code>{field}</code>" not in text] == []


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
    text = document([], Measured(differences=(Difference(kind="recordings", name="new", lines=("p phase: late",)),)))
    assert "Not explained yet" in text


def test_every_remaining_difference_has_a_reason() -> None:
    assert [item.name for item in read_measured().differences if item.name not in REASONS] == []


def test_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="--cases"):
        call_command("fidelity", "--cases", "/no/such/folder")


def test_every_rule_has_a_row() -> None:
    assert [row.rule.id for row in rule_rows()] == list(RULEBOOK)
