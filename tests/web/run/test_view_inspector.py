"""The inspector: groups of acts, nodes, gone pods, the grace ledger, resolved environments."""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass

import pytest
from django.urls import reverse
from msgspec.structs import replace

from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run, RunCommand
from simulator.runs.log import timemachine
from simulator.runs.services.commands import command_submit
from simulator.web import presenters
from simulator.web.base.common import TABS
from simulator.web.run.inspector import _by_place, chips
from simulator.web.run.panels import TABS as PANEL_TABS
from simulator.web.run.versions import seen_of
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of, versions_of

pytestmark = pytest.mark.django_db
DEAF = ("sh", "-c", "trap '' TERM; while true; do sleep 1; done")


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


def given(run, command):
    command_submit(run=run, owner_key=OWNER, command=command, client_key=f"key-{RunCommand.objects.count():08d}")


def inspected(client, run, sel="pod/default/web", t=None):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "inspector"])
    return text_of(client.get(url, {"sel": sel, "t": run.head_ms if t is None else t}, headers={"HX-Request": "true"}))


def deaf_run(**spec):
    return play(make_run(content=make_content(pod_json(command=DEAF, terminationGracePeriodSeconds=5, **spec))), 5_000)


def test_pods_of_one_name_are_told_apart_as_on_the_lanes(owner):
    run = play(make_run(), 5_000)
    given(run, DeletePod(target="default/web", grace_s=0))
    given(play(run, 8_000), ApplyManifest(documents=(pod_json(),)))
    page = inspected(owner, play(run, 10_000))
    chip = re.compile(r'class="chip" .*?</span>(<span class="cut">.*?)</a>')
    assert [re.sub("<[^>]*>", "", each) for each in chip.findall(page)] == ["web", "web#2"]


def test_node_is_inspected_with_its_acts(owner):
    page = inspected(owner, play(make_run(), 5_000), sel="node/node1")
    assert all(word in page for word in ("Stop kubelet", "Cordon", "MemoryPressure", "Set taint"))


def test_node_says_which_system_it_runs(owner):
    page = inspected(owner, play(make_run(), 5_000), sel="node/node1")
    assert "<dt>Operating system</dt><dd>linux</dd>" in page


@pytest.mark.parametrize(("kept", "shown"), [(None, "12500"), (2, "2"), (0, "all")])
def test_node_says_how_many_finished_pods_the_cluster_keeps(owner, kept, shown):
    content = make_content(pod_json())
    cluster = replace(content.header.cluster, terminated_pod_gc_threshold=kept)
    run = make_run(content=replace(content, header=replace(content.header, cluster=cluster)))
    page = inspected(owner, play(run, 5_000), sel="node/node1")
    assert f"<dt>Finished pods kept (whole cluster)</dt><dd>{shown}</dd>" in page


def offered_labels(client, run, sel, tab="faults"):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, tab])
    return text_of(client.get(url, {"sel": sel, "t": run.head_ms}, headers={"HX-Request": "true"}))


@pytest.mark.parametrize(
    ("sel", "shown", "not_shown"),
    [
        ("container/default/web/app", ["Exit container with code", "Run command", "kubectl delete pod web"], "Cordon"),
        ("pod/default/web", ["Delete pod", "Evict pod", "Exit container with code"], "Run command"),
        ("node/node1", ["Cordon", "Stop kubelet"], "Delete pod"),
    ],
)
def test_menu_of_a_lane_offers_the_acts_on_its_subject(owner, sel, shown, not_shown):
    page = offered_labels(owner, play(make_run(), 5_000), sel)
    assert all(word in page for word in shown) and not_shown not in page


@pytest.mark.parametrize("sel", ["pod/default/web", "container/default/web/app", "node/node1"])
@pytest.mark.parametrize("seconds", [0, 1, 5, 30, 90])
def test_menu_of_a_lane_offers_nothing_that_would_be_refused(owner, sel, seconds):
    """The bar of the same lane keeps everything in its place, dimmed and with the reason."""
    run = deaf_run()
    given(run, DeletePod(target="default/web"))
    run = play(run, 5_000 + seconds * 1000)
    assert "data-why-not" not in offered_labels(owner, run, sel)


def test_menu_of_a_pod_that_is_gone_leaves_out_what_its_bar_dims(owner):
    run = deaf_run()
    given(run, DeletePod(target="default/web"))
    run = play(run, 60_000)
    menu, bar = (offered_labels(owner, run, "pod/default/web", tab) for tab in ("faults", "faultbar"))
    assert "Delete pod" not in menu and "Delete pod" in bar and "data-why-not" in bar


def test_bar_of_a_lane_offers_the_nearest_acts_only(owner):
    page = offered_labels(owner, play(make_run(), 5_000), "container/default/web/app", "faultbar")
    assert 'aria-label="Hang process"' in page and "Run command" not in page and "Evict" not in page


def test_menu_of_a_lane_offers_viewers_a_fork(client):
    page = offered_labels(client, play(make_run(), 5_000), "container/default/web/app")
    assert "Fork to act" in page and "Exit container" not in page


def test_node_acts_are_hidden_from_viewers(client):
    page = inspected(client, play(make_run(), 5_000), sel="node/node1")
    assert "Stop kubelet" not in page and "Fork to act" in page


def test_unknown_node_falls_back_to_the_pod(owner):
    assert 'id="insp-head"' in inspected(owner, play(make_run(), 5_000), sel="node/nowhere")


def test_gone_pod_says_so_and_shows_what_the_node_knows(owner):
    run = deaf_run()
    given(run, DeletePod(target="default/web"))
    page = inspected(owner, play(run, 30_000))
    assert ">Gone</h2>" in page and "none of its processes are running" in page and "exited" in page
    assert re.search(r'data-why-not="[^"]+[.]"[^§]*?Delete pod</button>', page)  # dimmed in its place, with the reason


def test_ghost_is_called_one(owner):
    run = deaf_run()
    given(run, DeletePod(target="default/web", force=True))
    page = inspected(owner, play(run, 5_500))
    assert "is still running on the node" in page and "ghost" in page


def test_ledger_shows_term_and_kill_of_a_stop(owner):
    run = deaf_run()
    given(run, DeletePod(target="default/web"))
    page = inspected(owner, play(run, 30_000))
    assert 'data-who="term"' in page and 'data-who="kill"' in page and "5 s grace period" in page


def test_ledger_of_a_stop_under_way_ends_at_the_moment_shown(owner):
    run = deaf_run()
    given(run, DeletePod(target="default/web"))
    found = re.search(r'data-who="term" data-grows="[\d ]+" x="0" y="2" width="(\d+)"', inspected(owner, play(run, 7_500)))
    assert found is not None and 400 < int(found[1]) < 600


def test_environment_is_shown_resolved(owner):
    variable = {"name": "ME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    document = json.loads(pod_json())
    document["spec"]["containers"][0]["env"] = [variable]
    run = play(make_run(content=make_content(json.dumps(document))), 5_000)
    page = inspected(owner, run)
    assert "<code>ME</code>" in page and "<code>web</code>" in page and "← metadata.name" in page


def test_static_pod_is_placed_from_yaml(owner):
    run = play(make_run(), 5_000)
    manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: still}\nspec: {containers: [{name: a, image: 'busybox:1.36'}]}\n"
    url = reverse("sim:run-commands", args=[run.id])
    fields = {"do": "apply", "node": "node1", "manifest": manifest, "client_key": "12345678"}
    assert owner.post(url, fields, headers={"HX-Request": "true"}).status_code == 204
    assert json.loads(RunCommand.objects.get(run=run).body)["do"] == "static_pod"


@pytest.mark.parametrize("manifest", ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", "kind: [", ""])
def test_static_pod_is_refused_when_the_file_is_not_one_pod(owner, manifest):
    run = play(make_run(), 5_000)
    url = reverse("sim:run-commands", args=[run.id])
    answer = owner.post(url, {"node": "node1", "manifest": manifest, "client_key": "12345678"}, headers={"HX-Request": "true"})
    assert answer.status_code == 422 and not RunCommand.objects.filter(run=run).exists()
    assert 'name="node" value="node1"' in text_of(answer) or manifest == ""


@pytest.mark.parametrize("source", ["spec/node §9", "recording f16", "recordings k3, k6", "a command of the run", "facts 44"])
def test_sources_that_no_reader_can_look_up_are_not_shown(source):
    assert presenters.source_text(f"{source}; pkg/kubelet/pod_workers.go") == "pkg/kubelet/pod_workers.go"
    assert presenters.source_text(source) == ""


def test_what_comes_next_names_nothing_twice():
    assert presenters.next_label("probe_tick", "probe/default/web/liveness/liveness") == "liveness: next probe attempt"


@pytest.mark.parametrize(
    ("length_ms", "text"), [(0, "0 ms"), (850, "850 ms"), (7_250, "7.2 s"), (60_000, "1 m"), (80_000, "1 m 20 s"), (7_500_000, "2 h 5 m")]
)
def test_length_is_written_in_its_shortest_form(length_ms, text):
    assert presenters.length_text(length_ms) == text


def test_node_panels_answer_for_every_tab(owner):
    run = play(make_run(), 5_000)
    assert Run.objects.filter(id=run.id).exists()
    for tab in ("why", "events", "yaml", "describe"):
        url = reverse("sim:run-panel", args=[run.id, run.head_seq, tab])
        assert owner.get(url, {"sel": "node/node1", "t": run.head_ms}).status_code == 200


def test_every_panel_next_to_the_inspector_has_a_tab():
    assert set(TABS) == set(PANEL_TABS) - {"inspector", "faults", "faultbar"}


def test_pod_may_be_evicted(owner):
    page = inspected(owner, play(make_run(), 5_000))
    assert "Evict pod" in page and "/api/v1/namespaces/default/pods/web/eviction" in page


def test_eviction_may_be_asked_for_when_a_budget_forbids_it(owner):
    budget = json.dumps(
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all"}, "spec": {"minAvailable": "100%"}}
    )
    assert "Evict pod" in inspected(owner, play(make_run(content=make_content(pod_json(), budget)), 5_000))


def test_pod_without_a_node_may_be_bound(owner):
    pending = play(make_run(content=make_content(pod_json(nodeSelector={"disk": "none"}))), 5_000)
    assert "Bind to node" in inspected(owner, pending)


def test_other_objects_may_be_edited(owner):
    config = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}})
    page = inspected(owner, play(make_run(content=make_content(pod_json(), config)), 5_000))
    assert 'data-edit="ConfigMap/default/settings"' in page


def test_other_objects_are_listed_with_their_deletion(owner):
    config = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}})
    page = inspected(owner, play(make_run(content=make_content(pod_json(), config)), 5_000))
    assert "Delete ConfigMap" in page and "kubectl delete configmaps settings --cascade=background" in page


def test_container_says_what_was_not_understood_of_it(client):
    run = play(make_run(content=make_content(pod_json(command=("unheard-of",)).replace("busybox:1.28", "example/x:1"))), 5_000)
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "inspector"])
    page = text_of(client.get(url, {"t": run.head_ms, "sel": "pod/default/web"}, headers={"HX-Request": "true"}))
    assert "Not understood: unheard-of cannot be worked out; it is taken to run until it is stopped." in page


def test_what_was_presumed_can_be_said_otherwise(owner):
    run = play(make_run(content=make_content(pod_json(command=("unheard-of",)).replace("busybox:1.28", "example/x:1"))), 5_000)
    assert 'data-edit="Pod/default/web" data-edit-tab="behaviour">Set its behaviour<' in inspected(owner, run)


def scheduling(client, run):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "scheduling"])
    return text_of(client.get(url, {"sel": "pod/default/web", "t": run.head_ms}, headers={"HX-Request": "true"}))


def test_scheduling_says_why_each_node_refused(owner):
    content = make_content(pod_json(nodeSelector={"kubernetes.io/arch": "arm64"}))
    page = scheduling(owner, play(make_run(content=content), 5_000))
    assert "NodeAffinity" in page
    assert "rejected for lack of kubernetes.io/arch=arm64: 1 carry kubernetes.io/arch=amd64" in page


def test_scheduling_names_the_chosen_node(owner):
    page = scheduling(owner, play(make_run(), 5_000))
    assert "Chosen node:" in page and "node1" in page


def test_scheduling_of_a_pod_that_came_with_a_node_has_nothing_to_show(owner):
    page = scheduling(owner, play(make_run(content=make_content(pod_json(nodeName="node1"))), 5_000))
    assert "The scheduler has not considered this pod yet." in page


def probed_run(until_ms, kind="liveness", outcome=None, **probe):
    """A pod with a probe every ten seconds, and what the probe sees from 15 s on."""
    document = json.loads(pod_json(terminationGracePeriodSeconds=20))
    document["spec"]["containers"][0][f"{kind}Probe"] = {"exec": {"command": ["true"]}, **probe}
    run = play(make_run(content=make_content(json.dumps(document))), 15_000)
    if outcome:
        given(run, SetProbe(target="default/web", container="app", probe=kind, outcome=outcome))
    return play(run, until_ms)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("liveness", "A hang is detected within 31 s; the container is gone within 51 s."),
        ("readiness", "If the process hangs, Ready becomes False within 31 s."),
        ("startup", "A start that never succeeds is abandoned within 31 s; the container is gone within 51 s."),
    ],
)
def test_probe_says_how_long_a_hang_goes_unnoticed_at_worst(owner, kind, told):
    assert told in inspected(owner, probed_run(16_000, kind))


def test_probe_that_fails_counts_down_to_its_threshold(owner):
    page = inspected(owner, probed_run(25_000, outcome="failure"))
    told = re.search(r"in at least <strong[^>]*=\"(\d+)\".*in at most <strong[^>]*=\"(\d+)\"", page)
    assert told and int(told[2]) - int(told[1]) == 1_000 and "A hang is detected" not in page


def test_track_of_a_probe_that_times_out_says_at_each_moment_what_the_panel_says(owner):
    run = probed_run(60_000, outcome="timeout", timeoutSeconds=12, failureThreshold=4)
    asked = {"from_ms": 0, "to_ms": 60_000, "sel": "pod/default/web"}
    found = owner.get(reverse("sim:run-track", args=[run.id, "inspector"]), asked).json()
    texts = versions_of(found)
    told = [record.at_ms for record in timemachine.past(run, seq=run.head_seq)]
    for t in range(250, 60_000, 2_125):
        number = [step for step in found["steps"] if step[1] <= t][-1][2]
        url = reverse("sim:run-panel", args=[run.id, bisect_right(told, t), "inspector"])
        alone = owner.get(url, {"t": t, "sel": "pod/default/web"}, headers={"HX-Request": "true"})
        assert seen_of(texts[number]) == seen_of(text_of(alone)), t


def test_objects_that_the_run_does_not_have_are_reported(owner):
    gone = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: budget}\n"
    content = make_content()
    run = make_run(content=replace(content, source=replace(content.source, manifests=gone)))
    page = inspected(owner, run)
    assert "Ignored from the YAML" in page and "budget" in page
    assert "no matches for kind &quot;PodDisruptionBudget&quot; in version &quot;policy/v1beta1&quot;" in page


def test_nothing_is_told_where_all_became_objects(owner):
    assert "Ignored from the YAML" not in inspected(owner, make_run())


@dataclass
class Chip:
    subject: str
    tone: str


def test_inspector_names_the_chosen_one_and_the_worst_where_not_all_have_room():
    rows = [Chip("a", "ready"), Chip("b", "failed"), Chip("c", "waiting"), Chip("d", "ready"), Chip("e", "ready")]
    assert [row.subject for row in chips(rows, "d", most=3)] == ["b", "c", "d"]
    assert [row.subject for row in chips(rows, "", most=5)] == ["a", "b", "c", "d", "e"]


def test_only_what_is_possible_now_is_offered_except_where_buttons_keep_their_places():
    refused, possible, elsewhere = (
        Offer(key=key, place=place, buttons=(), why_not=why)
        for key, place, why in (("a", "x", "COMMAND-NO-POD"), ("b", "x", ""), ("c", "y", ""))
    )
    offers = [refused, possible, elsewhere]
    assert dict(_by_place(offers)) == {"x": [possible], "y": [elsewhere]}
    assert dict(_by_place(offers, every=True)) == {"x": [refused, possible], "y": [elsewhere]}
