"""The Machine tab: which machine is drawn for the selection, its picture, STATUS as questions and the phase as a fold."""

import json
import re
from html import unescape
from types import SimpleNamespace

import pytest
from django.urls import reverse

from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import RunCommand
from simulator.runs.services.commands import command_submit
from simulator.web.run import machine
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
APP, POD = "container/default/web/app", "pod/default/web"


def shown(client, run, sel=POD, **query):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "machine"])
    return unescape(text_of(client.get(url, {"sel": sel, "t": run.head_ms, **query}, headers={"HX-Request": "true"})))


@pytest.fixture
def crashing():
    return play(make_run(content=make_content(pod_json(command=("sh", "-c", "sleep 2; exit 1")))), 12_000)


@pytest.mark.parametrize(("sel", "kind"), [(POD, "pod_worker"), (APP, "container"), ("condition/default/web/Ready", "phase")])
def test_selection_says_which_machine_is_drawn(client, crashing, sel, kind):
    assert f'id="machine-{kind}"' in shown(client, crashing, sel)


def test_picture_has_the_present_state_and_the_edge_that_fired_last(client, crashing):
    page = shown(client, crashing, APP)
    assert re.search(r'id="state-backoff"[^>]*aria-current="true"', page) and page.count('class="machine__token"') == 1
    assert re.search(r'id="edge-exited--backoff"[^>]*data-last', page) and page.count("data-last") == 1
    assert re.search(r'id="edge-running--exited"[^>]*data-fired="2"', page)


@pytest.mark.parametrize(("to_ms", "fired", "weight"), [(4_000, "1", "1"), (12_000, "2", "2"), (900_000, r"\d+", "3")])
def test_edge_thickens_with_the_times_it_was_taken(client, to_ms, fired, weight):
    run = play(make_run(content=make_content(pod_json(command=("sh", "-c", "sleep 2; exit 1")))), to_ms)
    assert re.search(rf'id="edge-running--exited"[^>]*data-fired="{fired}" data-weight="{weight}"', shown(client, run, APP))


def test_edge_shows_its_rules_to_a_pointer(client, crashing):
    edge = shown(client, crashing, APP).partition('id="edge-exited--backoff"')[2].partition("</a>")[0]
    assert "BACKOFF-WAIT" in edge.partition("<title>")[2].partition("</title>")[0]


def test_selected_edge_lists_its_rules_and_instants(client, crashing):
    page = shown(client, crashing, APP, part="container.running--exited")
    facts = page.partition('id="machine-facts"')[2].partition("<details")[0]
    assert "PROCESS-EXITED" in facts and "PROCESS-OOM" in facts and "with code 1" in facts
    assert facts.count("data-seek-seq") == 2


def test_selected_state_shows_where_it_leads(client, crashing):
    facts = shown(client, crashing, APP, part="container.creating").partition('id="machine-facts"')[2]
    assert 'data-part="container.creating--running"' in facts.partition("<details")[0]


def test_record_that_is_chosen_brings_its_machine_and_its_edge(client, crashing):
    rows = client.get(reverse("sim:run-records", args=[crashing.id])).json()["records"]
    seq = next(row[0] for row in rows if row[4] == "sandbox" and row[7] == "ready")
    page = shown(client, crashing, POD, rec=seq)
    assert 'id="machine-sandbox"' in page and re.search(r'id="edge-creating--ready"[^>]*data-chosen', page)


@pytest.mark.parametrize(("rec", "kind", "edge"), [(0, "pod_worker", ""), (1, "sandbox", "creating--ready"), (2, "pod_worker", "")])
def test_any_record_so_far_brings_its_machine_and_its_edge_the_newest_too(rec, kind, edge):
    choices = [{"name": name, "subject": POD, "is_near": True} for name in ("pod_worker", "sandbox")]
    records = [SimpleNamespace(machine="sandbox", subject=POD, source="creating", target="ready")]
    taken, part = machine._usual(records, POD, rec, choices)
    assert (taken["name"], part) == (kind, edge)


def test_container_that_is_being_stopped_shows_its_termination(client):
    run = play(make_run(content=make_content(pod_json(command=("sh", "-c", "trap '' TERM; while true; do sleep 1; done")))), 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key=f"key-{RunCommand.objects.count():08d}")
    page = shown(client, play(run, 8_000), APP)
    assert 'id="machine-stop"' in page and re.search(r'id="state-term"[^>]*aria-current="true"', page)


def test_table_has_every_edge_of_the_picture(client, crashing):
    page = shown(client, crashing, APP)
    drawn, listed = set(re.findall(r'id="edge-([a-z_]+--[a-z_]+)"', page)), set(re.findall(r'id="edge-row-([a-z_]+--[a-z_]+)"', page))
    assert drawn <= listed and len(drawn) > 15


@pytest.mark.parametrize("part", ["nonsense", "container.nowhere", "probe", "container.running--nowhere"])
def test_part_that_does_not_fit_is_left_to_the_selection(client, crashing, part):
    assert 'id="machine-container"' in shown(client, crashing, APP, part=part)


def test_status_is_drawn_as_questions(client, crashing):
    page = shown(client, crashing, POD, part="status")
    assert "state.terminated.reason" in page and "STATUS <strong>Error</strong>" in page
    assert page.count("data-changes") == 2 and page.count("data-passed") >= 2


def test_phase_is_folded_by_today_s_rules_and_those_of_1_3(client):
    document = json.loads(pod_json(command=("sleep", "3600")))
    document["spec"]["initContainers"] = [{"name": "prepare", "image": "busybox:1.28", "command": ["sleep", "60"]}]
    page = shown(client, play(make_run(content=make_content(json.dumps(document))), 5_000), POD, part="phase")
    assert page.count('class="fold"') == 2 and "Kubernetes 1.3 → " in page
    assert page.count('aria-current="true"') == 3  # a rule in each, and the choice


def test_node_has_no_machine_of_a_pod(client, crashing):
    assert "Select a pod" in shown(client, crashing, "node/node1")


def test_address_carries_the_part(client, crashing):
    page = unescape(
        text_of(client.get(reverse("sim:run", args=[crashing.id]), {"t": "12", "sel": APP, "tab": "machine", "part": "container.exited"}))
    )
    assert re.search(r'id="state-exited"[^>]*data-chosen', page) and 'data-tab-part="container.exited"' in page


def test_chosen_edge_offers_the_acts_that_make_it_happen_to_whom_the_run_is(client, crashing):
    sign_in_as_owner(client)
    text = shown(client, crashing, APP, part="container.running--exited")
    assert "Make it happen" in text
    assert all(word in text for word in ("Exit container with code", "Run out of memory", "Kill container with signal"))
    assert "Make it happen" not in shown(client, crashing, APP, part="container.pulling--creating")
    client.cookies.clear()
    assert "Make it happen" not in shown(client, crashing, APP, part="container.running--exited")
