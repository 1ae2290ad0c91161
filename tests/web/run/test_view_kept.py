"""Runs, moments and links recorded by another revision of the engine: they open, scrub and explain, forever."""

import html
import json
import re

import pytest
from django.test import Client

from simulator.engine.course.header import REVISION
from simulator.models import RecordChunk, Run, SharedScenario
from simulator.runs.log import storage
from simulator.web.base.common import world_at
from tests.factories import OWNER, STRANGER
from tests.runs.log.kept import GONE_RULE, OPENED, RUN_2, UNOPENED, old_run, records_of, revision_2
from tests.web.helpers import sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db

TABS = ("inspector", "why", "events", "resources", "yaml", "describe", "kubectl")
MOMENTS = (0, 10_000, 100_000, 185_841, 185_900, 200_000, 299_000)
SUBJECTS = ("pod/default/web", "pod/default/worker", "node/node-1", "container/default/guest/app")
BEFORE, AFTER = 10_000, 40_000


def page(client: Client, address: str, **query: object) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return html.unescape(text_of(response))


def panel(client: Client, run: Run, tab: str, at_ms: int, **query: object) -> str:
    seq = len([record for record in records_of(run) if record.at_ms <= at_ms])
    return page(client, f"/r/{run.id}/at/{seq}/panel/{tab}/", t=at_ms, **query)


def seconds(at_ms: int) -> str:
    return f"{at_ms / 1000}"


# ---- stored by a server of revision 2 -----------------------------------------------------------------------------
@pytest.mark.parametrize("tab", TABS[1:])
def test_moment_of_revision_2_opens(client, tab):
    revision_2()
    for at_ms in MOMENTS[TABS.index(tab) % 2 :: 2]:
        shown = page(client, f"/r/{RUN_2}/", t=seconds(at_ms), sel="pod/default/web", tab=tab)
        assert "recorded by revision 2" in shown, at_ms


@pytest.mark.parametrize("sel", SUBJECTS)
def test_panels_of_revision_2_open_at_every_moment(client, sel):
    """Every second one of adjacent moments, tabs and subjects: each pair of two of them is opened."""
    run, number = revision_2(), SUBJECTS.index(sel)
    for row, tab in enumerate(TABS):
        for at_ms in MOMENTS[(row + number) % 2 :: 2]:
            assert panel(client, run, tab, at_ms, sel=sel), (tab, at_ms)


def test_run_of_revision_2_shows_all_its_records(client):
    run = revision_2()
    frame = json.loads(page(client, f"/r/{RUN_2}/records/", limit=5000))
    assert (len(frame["records"]), frame["to"]) == (307, run.head_seq)


def test_run_of_revision_2_explains_why_as_recorded(client):
    run = revision_2()
    word = next(record for record in records_of(run) if record.target == "TaintToleration" and record.machine == "status_word")
    chain = panel(client, run, "why", word.at_ms, sel=word.subject, rec=word.seq)
    assert "kubectl shows pod web as TaintToleration" in chain and "You changed what runs on node node-1" in chain


def test_run_of_revision_2_shows_the_word_it_recorded(client):
    run = revision_2()
    assert re.search(r"<h2 [^>]*>TaintToleration<", panel(client, run, "inspector", 186_000, sel="pod/default/web"))


def test_run_of_revision_2_lists_its_milestones(client):
    revision_2()
    shown = page(client, f"/r/{RUN_2}/")
    assert "TaintToleration" in shown and "NodeNotReady" in shown


def test_link_of_revision_2_that_was_opened_shows_its_own_records(client):
    revision_2()
    frozen = Run.objects.get(share_id=OPENED)
    before = records_of(frozen)
    shown = page(client, f"/s/{OPENED}/", t="186", sel="pod/default/web")
    assert "TaintToleration" in shown and "Recorded by engine revision 2" in shown
    assert (records_of(Run.objects.get(share_id=OPENED)), Run.objects.get(share_id=OPENED).revision) == (before, 2)


def test_link_of_revision_2_that_nobody_opened_shows_what_was_recorded(client):
    run = revision_2()
    shown = page(client, f"/s/{UNOPENED}/", t="186", sel="pod/default/web")
    frozen = Run.objects.get(share_id=UNOPENED)
    assert "TaintToleration" in shown and "Recorded by engine revision 2" in shown
    assert (frozen.revision, records_of(frozen)) == (2, records_of(run))


def test_link_of_revision_2_whose_run_is_gone_is_played_by_todays_rules_and_says_so(client):
    revision_2().delete()
    SharedScenario.objects.filter(id=UNOPENED).update(run=None)
    assert "what its author saw was not stored" in page(client, f"/s/{UNOPENED}/")
    assert Run.objects.get(share_id=UNOPENED).revision == REVISION


def test_link_of_revision_2_whose_run_had_other_commands_is_played_by_todays_rules(client):
    revision_2().commands.filter(n=2).update(at_ms=41_000)
    assert "what its author saw was not stored" in page(client, f"/s/{UNOPENED}/")


# ---- before the difference and after it ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tab", "words"), [("yaml", "image: busybox:1.28"), ("describe", "Image ID:"), ("kubectl", "1/1"), ("resources", "BestEffort")]
)
def test_panel_shows_the_world_before_the_difference(client, tab, words):
    shown = panel(client, old_run(), tab, BEFORE)
    assert words in shown and 'id="needs-world"' not in shown


@pytest.mark.parametrize("tab", ["yaml", "describe", "kubectl", "resources"])
def test_panel_says_after_the_difference_that_it_needs_another_world(client, tab):
    shown = panel(client, old_run(), tab, AFTER)
    assert "This panel needs the cluster as it was at that moment, and from 0:20.0 the current rules lead to a different one." in shown


def test_inspector_after_the_difference_is_read_from_the_records(client):
    shown = panel(client, old_run(), "inspector", AFTER)
    assert re.search(r"<h2 [^>]*>Unforeseen<", shown) and "What follows comes from its records alone" in shown


def test_inspector_before_the_difference_shows_containers_as_ever(client):
    shown = panel(client, old_run(), "inspector", BEFORE)
    assert re.search(r"<h2 [^>]*>Running<", shown) and "busybox:1.28" in shown and 'id="insp-recorded"' not in shown


def test_grace_of_a_stop_after_the_difference_is_read_from_the_records(client):
    run = old_run()
    assert "after the stop signal" in panel(client, run, "inspector", AFTER)
    assert "after the stop signal" not in panel(client, run, "inspector", BEFORE)


def test_page_after_the_difference_is_read_from_the_records(client):
    shown = page(client, f"/r/{old_run().id}/", t=seconds(AFTER))
    assert 'id="insp-recorded"' in shown and "Branch with the current rules" in shown


def test_same_instant_is_told_from_records_as_soon_as_it_differs(client):
    run = old_run()
    odd = next(record for record in records_of(run) if record.rule == GONE_RULE)
    answers = [page(client, f"/r/{run.id}/at/{seq}/panel/yaml/", t=odd.at_ms) for seq in (odd.seq, odd.seq + 1)]
    assert all('id="needs-world"' in answer for answer in answers)


def test_events_after_the_difference_are_those_recorded(client):
    run = old_run()
    shown = panel(client, run, "events", AFTER)
    recorded = {record.target for record in records_of(run) if record.machine == "k8s_event" and record.subject.startswith("pod/")}
    assert recorded and all(f"<code>{reason}</code>" in shown for reason in recorded)


def test_rule_that_this_engine_no_longer_has_shows_its_id_and_says_so(client):
    run = old_run()
    odd = next(record for record in records_of(run) if record.rule == GONE_RULE)
    shown = panel(client, run, "why", AFTER, rec=odd.seq)
    assert f"<code>{GONE_RULE}</code> · The current engine no longer has this rule." in shown
    assert shown.count("The current engine no longer has this rule.") == 1


def test_page_names_the_instant_and_both_rules_of_the_difference(client):
    run = old_run()
    odd = next(record for record in records_of(run) if record.rule == GONE_RULE)
    shown = page(client, f"/r/{run.id}/")
    assert '<strong class="num">0:20.0</strong>, the current rules give a different history' in shown
    assert f"<code>{GONE_RULE}</code>" in shown and "<code>PRINT-TERMINATING</code>" in shown
    assert f'href="?t=20.0&sel=pod%2Fdefault%2Fweb&rec={odd.seq}"' in shown


def test_page_says_where_nothing_differs(client):
    assert "The current rules give the same history." in page(client, f"/r/{old_run(differs=False).id}/")


def test_whatever_todays_engine_cannot_play_is_told_from_its_records(client):
    run = old_run()
    header = bytes(run.header_body).replace(b'"kubernetes":"1.30"', b'"kubernetes":"1.19"')
    Run.objects.filter(id=run.id).update(header_body=header)
    assert re.search(r"<h2 [^>]*>Running<", panel(client, run, "inspector", BEFORE))


def test_run_of_another_revision_is_not_mended(client, monkeypatch):
    monkeypatch.setattr(storage, "CHUNK_RECORDS_MAX", 10)
    run = old_run(differs=False)
    RecordChunk.objects.filter(run=run, first_seq__gt=1).order_by("first_seq").first().delete()
    chunks = RecordChunk.objects.filter(run=run).count()
    response = client.get(f"/r/{run.id}/")
    assert (response.status_code, RecordChunk.objects.filter(run=run).count()) == (410, chunks)
    assert "Records 11–20 of this run are damaged or missing. They were written by a different engine revision" in text_of(response)


# ---- continuing ---------------------------------------------------------------------------------------------------
def go_on(client: Client, run: Run) -> tuple[Run, str]:
    """Press play; returns the run to which the browser is sent, and its page."""
    response = client.post(f"/r/{run.id}/control/", {"do": "play"}, headers={"HX-Request": "true"})
    address = response.headers.get("HX-Redirect", f"/r/{run.id}/")
    return Run.objects.get(id=address.split("/")[2]), page(client, address)


def test_owner_who_plays_on_gets_a_branch_that_says_where_it_differs(client):
    sign_in_as_owner(client)
    run = old_run()
    branch, shown = go_on(client, run)
    assert (branch.parent_id, branch.revision, branch.parent_ms) == (run.id, REVISION, 60_000)
    assert "Runs by the rules of the current engine" in shown and f"<code>{GONE_RULE}</code>" in shown
    assert (Run.objects.get(id=run.id).revision, "This branch starts before" in shown) == (2, False)


def test_owner_who_plays_on_twice_gets_the_same_branch(client):
    sign_in_as_owner(client)
    run = old_run()
    assert go_on(client, run)[0] == go_on(client, run)[0]


def test_old_run_goes_on_by_itself_where_nothing_differs(client):
    sign_in_as_owner(client)
    run = old_run(differs=False)
    there, _shown = go_on(client, run)
    assert (there.id, there.revision, there.header().revision) == (run.id, REVISION, REVISION)


def test_owner_who_acts_gets_a_branch_that_says_where_it_differs(client):
    sign_in_as_owner(client)
    run = old_run()
    fields = {"do": "delete_pod", "target": "default/web", "client_key": "a-key-of-the-page"}
    response = client.post(f"/r/{run.id}/commands/", fields)
    branch = Run.objects.get(parent=run)
    assert (response.url.split("?")[0], branch.commands.count(), run.commands.count()) == (f"/r/{branch.id}/", 2, 1)
    assert f"<code>{GONE_RULE}</code>" in page(client, response.url)


def test_branch_before_the_difference_says_that_up_to_there_nothing_differs(client):
    sign_in_as_owner(client, STRANGER)
    response = client.post(f"/r/{old_run().id}/branch/", {"t": str(BEFORE)})
    assert "there are no differences up to its start" in page(client, response.url)


def test_fork_of_an_old_link_says_where_it_differs(client):
    revision_2()
    response = client.post(f"/s/{OPENED}/run/", {"t": "10000"})
    fork = Run.objects.get(id=response.url.split("/")[2])
    assert "Runs by the rules of the current engine" in page(client, response.url)
    assert (fork.revision, fork.header().revision) == (REVISION, REVISION)


def test_owner_of_the_run_is_still_its_owner(client):
    sign_in_as_owner(client, OWNER)
    revision_2()
    assert 'data-role="owner"' in page(client, f"/r/{RUN_2}/")


@pytest.mark.parametrize("at_ms", [0, 10_000, 30_000])
def test_world_of_a_moment_is_that_of_the_moment_under_todays_rules(at_ms):
    run = old_run()
    assert world_at(run, t=at_ms).now_ms == at_ms
    assert world_at(run).now_ms == run.head_ms


def test_object_to_edit_is_that_of_the_moment_under_todays_rules(client):
    run = old_run()
    found = json.loads(page(client, f"/r/{run.id}/at/{run.head_seq}/object/Node/-/node1/"))
    assert found["at_ms"] == records_of(run)[-1].at_ms


def test_versions_of_an_old_run_can_be_compared(client):
    assert client.get(f"/r/{old_run().id}/lens/").status_code == 200
