"""The Map tab, and the inspector of an object that is neither a pod nor a node."""

import json
import re
from html import unescape

import pytest
from django.urls import reverse
from msgspec.structs import replace

from simulator.engine import Stamped
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.web.run import inspector
from tests.factories import make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    template = {"metadata": {"labels": {"app": "api"}}, "spec": json.loads(pod_json(command=("sleep", "3600")))["spec"]}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "api"}}, "template": template}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "api"}, "spec": spec}
    return play(make_run(content=make_content(pod_json(nodeSelector={"no": "where"}), json.dumps(owner))), 12_000)


def shown(client, run, tab, sel=""):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, tab])
    return unescape(text_of(client.get(url, {"sel": sel, "t": run.head_ms}, headers={"HX-Request": "true"})))


def test_map_shows_nodes_controllers_and_pods_without_a_node(client, run):
    page = shown(client, run, "map")
    assert 'data-select="replicaset/default/api"' in page and "2/2" in page
    assert "No nodes" in page and "1 unhealthy" in page
    assert page.count('class="map__tile"') == 3


def test_pods_that_only_begin_are_counted_apart_on_the_map(client):
    page = shown(client, play(make_run(content=make_content(pod_json())), 300), "map")
    assert "1 starting" in page and "not well" not in page


def test_selected_thing_is_marked_on_the_map(client, run):
    assert shown(client, run, "map").count('aria-current="true"') == 0
    assert shown(client, run, "map", "replicaset/default/api").count('aria-current="true"') == 1


def test_inspector_shows_an_object_with_its_pods_and_acts(client, run):
    sign_in_as_owner(client)
    page = shown(client, run, "inspector", "replicaset/default/api")
    assert "2 of 2" in page and "Delete ReplicaSet" in page
    assert page.count('data-select="pod/default/api-') == 4  # in the list of all pods and among its own


@pytest.mark.parametrize(
    ("tab", "told"), [("yaml", "kind: ReplicaSet"), ("describe", "2 current / 2 desired"), ("events", "SuccessfulCreate")]
)
def test_tabs_speak_of_the_selected_object(client, run, tab, told):
    assert told in shown(client, run, tab, "replicaset/default/api")


def test_object_that_is_not_there_leaves_the_pod(client, run):
    assert "insp-head" in shown(client, run, "inspector", "replicaset/default/nothing")


def test_inspector_of_a_budget_shows_how_it_counts(client):
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}
    labelled = json.loads(pod_json(command=("sleep", "3600")))
    labelled["metadata"]["labels"] = {"app": "web"}
    page = shown(
        client,
        play(make_run(content=make_content(json.dumps(labelled), json.dumps(budget))), 12_000),
        "inspector",
        "poddisruptionbudget/default/web",
    )
    assert "1 healthy, 1 required, 1 expected." in page and "minAvailable: 1" in page and "0 more may be evicted now." in page


def test_menu_of_a_workload_offers_its_acts(client, run):
    sign_in_as_owner(client)
    page = shown(client, run, "faults", "replicaset/default/api")
    assert "Scale" in page and "Delete ReplicaSet" in page


def cluster(*documents, seconds=30):
    return play(make_run(content=make_content(*[json.dumps(item) for item in documents])), seconds * 1000)


def workload(name, replicas, **spec):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "nginx", "image": "nginx:1.27"}], **spec}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": spec}


def service(name, load):
    metadata = {"name": name, "annotations": {"podscope.dev/load": load}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": name}, "ports": [{"port": 80}]}}


def test_map_and_inspector_tell_requests_as_a_rate_by_outcome(client):
    run = cluster(workload("web", 2), service("web", "rate=40 after=20s"), service("none", "rate=2.5 after=20s"))
    page = shown(client, run, "map")
    assert "40/s answered" in page and "0 of 400 failed." in page
    assert "2.5/s refused" in page and "25 of 25 failed." in page
    assert "data-ages" in page  # the counts go on while nothing is recorded
    assert "2.5/s refused" in shown(client, run, "inspector", "service/default/none")


def test_service_whose_clients_have_not_begun_has_no_requests(client):
    assert "no requests right now" in shown(client, cluster(workload("web", 1), service("web", "rate=40 after=10m")), "map")


def test_selected_object_is_not_among_the_others(client, run):
    """Its acts are shown above; repeating the same forms would duplicate their ids."""
    sign_in_as_owner(client)
    page = shown(client, run, "inspector", "replicaset/default/api")
    ids = re.findall(r' id="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))


def test_of_many_pods_of_an_object_the_map_has_those_that_are_not_listed(client, run, monkeypatch):
    monkeypatch.setattr(inspector, "LISTED_MAX", 1)
    page = shown(client, run, "inspector", "replicaset/default/api")
    listed = re.search(r'<section id="insp-object-pods".*?</section>', page, re.DOTALL).group()
    assert listed.count('data-select="pod/default/api-') == 1 and "1 more on the map" in listed


def test_drained_node_and_its_budget_tell_why_the_eviction_is_refused(client):
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    content = make_content(json.dumps(workload("web", 1, nodeName="node1")), json.dumps(budget))
    drain = Stamped(10_000, 1, DrainNode(node="node1", force=True))
    run = play(make_run(content=replace(content, commands=(drain,), until_ms=10_000)), 12_000)
    for sel in ("node/node1", "poddisruptionbudget/default/web"):
        page = shown(client, run, "inspector", sel)
        assert "is refused: 1 healthy − 1 required = 0 may be evicted." in page and "kubectl drain retries in" in page
