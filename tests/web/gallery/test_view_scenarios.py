import html
import re
from collections import Counter
from urllib.parse import unquote

import pytest
from msgspec.structs import replace

from simulator.manifests.script.cluster import default_cluster, equal_nodes
from simulator.manifests.script.node_size import read_size
from simulator.models import Run, Scenario
from simulator.runs.log.content import encode_content
from simulator.scenarios.story import read_stories
from simulator.web.base.fields import VersionField
from tests.factories import make_content, pod_json
from tests.web.helpers import POD, text_of

pytestmark = pytest.mark.django_db


def bomb():
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    for inner, name in zip("abcdef", "bcdefg", strict=True):
        lines.append(f"{name}: &{name} [" + ",".join([f"*{inner}"] * 9) + "]")
    return "\n".join(lines)


HOSTILE = {
    "yaml bomb": bomb(),
    "cyclic anchor": "a: &a\n  b: *a\n",
    "duplicate key": "kind: Pod\nkind: Pod\n",
    "wrong type": POD.replace("image: busybox:1.36", "image: [1]"),
    "unknown field": POD.replace("image:", "imagePullpolicy: Always\n    image:"),
    "script in a name": POD.replace("name: web", "name: '<script>alert(1)</script>'"),
    "foreign tag": "a: !!python/object/apply:os.system ['true']\n",
    "not yaml": "a: [",
    "no object": "---\n---\n",
}


def new(client, manifest, **fields):
    return client.post("/new/", {"manifest": manifest, "kubernetes": "1.33", "seed": "7", "jitter": "on"} | fields)


def test_gallery_lists_every_story(client, stories):
    page = text_of(client.get("/scenarios/"))
    assert all(f"/scenarios/{story.slug}/" in page for story in read_stories())


def test_gallery_is_narrowed_by_tag(client, stories):
    page = text_of(client.get("/scenarios/", {"tag": "OOMKilled"}))
    assert re.findall(r'<li class="card story" id="scenario-([\w-]+)"', page) == ["oom-in-one-container"]


@pytest.mark.parametrize("chosen", ["", "OOMKilled"])
def test_tags_of_one_scenario_are_folded_away_but_for_the_chosen_one(client, stories, chosen):
    counts = Counter(tag for story in read_stories() for tag in story.tags)
    page = text_of(client.get("/scenarios/", {"tag": chosen}))
    first, _fold, folded = page.partition('id="tracks"')[0].partition("More tags")
    shown, hidden = ({unquote(tag) for tag in re.findall(r'class="chip" href="\?tag=([^"]+)"', part)} for part in (first, folded))
    assert shown == {tag for tag, count in counts.items() if count > 1 or tag == chosen} and hidden == set(counts) - shown


def test_gallery_is_narrowed_by_words(client, stories):
    page = text_of(client.get("/scenarios/", {"q": "back-off ladder"}))
    assert re.findall(r'<li class="card story" id="scenario-([\w-]+)"', page) == ["crash-loop-ladder"]


def test_gallery_says_so_when_nothing_matches(client, stories):
    assert "No matching scenarios" in text_of(client.get("/scenarios/", {"q": "no-such-word"}))


def test_gallery_lists_the_runs_of_this_browser_only(client, stories):
    client.post("/scenarios/hello-pod/run/")
    assert f"/r/{Run.objects.get().id}/" in text_of(client.get("/scenarios/"))
    client.cookies.clear()
    assert "/r/" not in text_of(client.get("/scenarios/"))


def test_scenario_page_shows_manifest_and_hints(client, stories):
    page = text_of(client.get("/scenarios/liveness-death-spiral/"))
    assert "rm -f /tmp/healthy" in page and "What to try" in page and "What to watch for" in page


def test_scenario_page_answers_404_when_unknown(client):
    assert client.get("/scenarios/nobody/").status_code == 404


def test_scenario_starts_a_run_at_its_speed(client, stories):
    response = client.post("/scenarios/crash-loop-ladder/run/")
    run = Run.objects.get()
    assert response.url == f"/r/{run.id}/" and run.rate_permille == 16_000


def test_scenario_is_not_started_by_a_get(client, stories):
    assert client.get("/scenarios/crash-loop-ladder/run/").status_code == 405


def test_load_scenarios_is_repeatable(db):
    from django.core.management import call_command

    call_command("load_scenarios", verbosity=0)
    call_command("load_scenarios", verbosity=0)
    assert Scenario.objects.filter(is_builtin=True).count() == len(read_stories())


def test_new_opens_with_the_manifest_of_a_scenario(client, stories):
    assert "rm -f /tmp/healthy" in text_of(client.get("/new/", {"scenario": "liveness-death-spiral"}))


def test_new_starts_a_run_from_yaml(client):
    response = new(client, POD)
    run = Run.objects.get()
    assert response.url == f"/r/{run.id}/" and run.title == "web" and run.header().seed == 7


def test_new_takes_several_documents(client):
    new(client, POD + "---\n" + POD.replace("name: web", "name: api"))
    assert len(Run.objects.get().header().manifests) == 2


def test_new_keeps_jitter_off_when_unchecked(client):
    client.post("/new/", {"manifest": POD, "kubernetes": "1.20", "seed": "1"})
    assert Run.objects.get().header().jitter is False


@pytest.mark.parametrize("case", HOSTILE)
def test_new_refuses_a_hostile_manifest(client, case):
    response = new(client, HOSTILE[case])
    assert response.status_code == 422 and not Run.objects.exists()


@pytest.mark.parametrize("case", [case for case in HOSTILE if case != "no object"])
def test_new_names_the_line_of_a_problem(client, case):
    assert re.search(r'data-line="\d+"', text_of(new(client, HOSTILE[case])))


def test_new_shows_the_offending_line_and_loses_nothing(client):
    page = text_of(new(client, POD.replace("image: busybox:1.36", "image: [1]"), seed="99"))
    assert "<code>    image: [1]</code>" in page and 'value="99"' in page and "name: web" in page


def test_new_escapes_what_was_typed(client):
    assert "<script>alert(1)" not in text_of(new(client, HOSTILE["script in a name"]))


def test_new_refuses_more_than_four_megabytes_without_schemas(client):
    response = new(client, POD + "# " + "x" * 4_000_001)
    assert response.status_code == 422 and "is larger than 4000000 characters" in text_of(response) and not Run.objects.exists()


def test_new_takes_two_megabytes(client):
    assert new(client, POD + "# " + "x" * 2_000_000).status_code == 302 and Run.objects.count() == 1


def test_new_refuses_a_body_beyond_all_measure(client):
    response = new(client, "# " + "x" * 17_000_000)
    assert response.status_code == 400 and "could not be understood" in text_of(response)


def test_new_refuses_an_unknown_version(client):
    assert new(client, POD, kubernetes="0.9").status_code == 422


def test_feature_gates_go_into_the_run(client):
    new(client, POD, feature_gates="PodscopePhaseRules13=true, InPlacePodVerticalScaling=false")
    header = Run.objects.get().header()
    assert header.gates == {"PodscopePhaseRules13": True, "InPlacePodVerticalScaling": False}


@pytest.mark.parametrize("gates", ["NoSuchGate=true", "InPlacePodVerticalScaling", "InPlacePodVerticalScaling=perhaps"])
def test_feature_gate_that_cannot_be_set_is_named(client, gates):
    response = new(client, POD, feature_gates=gates)
    assert response.status_code == 422
    assert gates.partition("=")[0] in text_of(response)
    assert gates in text_of(response)


def test_gallery_says_how_long_runs_are_kept(client, stories, settings):
    new(client, POD)
    settings.SIM_KEEP_DAYS = 12
    assert "12 days" in text_of(client.get("/scenarios/"))
    settings.SIM_KEEP_DAYS = 0
    assert "no one has watched" not in text_of(client.get("/scenarios/"))


def test_new_only_checks_when_asked(client):
    response = new(client, POD, check="1")
    page = text_of(response)
    assert response.status_code == 200 and not Run.objects.exists()
    assert "The API server would accept this." in page and 'data-severity="warning"' in page and 'data-severity="info"' in page


def test_new_shows_all_severities_when_something_is_wrong(client):
    page = text_of(new(client, POD.replace("image:", "imagePullpolicy: Always\n    image:")))
    assert all(f'data-severity="{severity}"' in page for severity in ("error", "warning", "info"))
    assert "Rename to imagePullPolicy" in page


def test_new_answers_422_when_only_checking_finds_errors(client):
    assert new(client, HOSTILE["unknown field"], check="1").status_code == 422


def test_new_says_so_when_nothing_in_the_text_is_simulated(client):
    response = new(client, "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n")
    assert response.status_code == 422 and "There is no object in this text." in text_of(response)


def test_phase_rules_of_1_3_are_a_choice_that_every_page_shows(client):
    run_page = text_of(client.get(new(client, POD, phase_rules="1.3").url))
    assert Run.objects.get().header().gates == {"PodscopePhaseRules13": True}
    assert "phase rules of 1.3" in run_page and "Kubernetes 1.3" in run_page


def test_phase_rules_are_those_of_the_version_unless_chosen(client):
    page = text_of(client.get("/new/"))
    assert '<option value="" selected>those of the version</option>' in page
    run_page = text_of(client.get(new(client, POD).url))
    assert Run.objects.get().header().gates == {} and "phase rules of 1.3" not in run_page


def test_unknown_phase_rules_are_refused(client):
    assert new(client, POD, phase_rules="1.4").status_code == 422


def test_docker_is_a_runtime_up_to_1_23(client):
    run_page = text_of(client.get(new(client, POD, runtime="docker", kubernetes="1.23").url))
    assert Run.objects.get().header().cluster.runtime == "docker" and "Container runtime</dt><dd>Docker" in run_page
    refused = new(client, POD, runtime="docker", kubernetes="1.24")
    assert refused.status_code == 422 and "no dockershim since 1.24" in text_of(refused)


@pytest.mark.parametrize(("typed", "kept", "shown"), [("3", 3, "3"), ("0", 0, "all")])
def test_number_of_finished_pods_that_are_kept_is_a_choice(client, typed, kept, shown):
    run_page = text_of(client.get(new(client, POD, finished_pods=typed).url))
    assert Run.objects.get().header().cluster.terminated_pod_gc_threshold == kept
    assert f"<dt>Finished pods kept</dt><dd>{shown}</dd>" in run_page


def test_number_of_finished_pods_is_the_versions_unless_chosen(client):
    run_page = text_of(client.get(new(client, POD).url))
    assert Run.objects.get().header().cluster.terminated_pod_gc_threshold is None and "Finished pods kept</dt>" not in run_page


@pytest.mark.parametrize("typed", ["-1", "many", "2147483648"])
def test_number_of_finished_pods_that_is_none_is_refused(client, typed):
    assert new(client, POD, finished_pods=typed).status_code == 422


def test_scenario_with_a_number_of_finished_pods_opens_with_it(client):
    content = make_content(pod_json())
    header = replace(content.header, cluster=replace(content.header.cluster, terminated_pod_gc_threshold=7))
    Scenario.objects.create(slug="few", title="Few", body=encode_content(replace(content, header=header)))
    assert 'name="finished_pods" value="7"' in text_of(client.get("/new/?scenario=few"))


def test_number_and_size_of_nodes_are_choices_that_run_and_page_keep(client):
    run_page = text_of(client.get(new(client, POD, nodes="1000", node_size="cpu=8, memory=32Gi, pods=250").url))
    nodes = Run.objects.get().header().cluster.nodes
    assert (len(nodes), nodes[-1].name) == (1000, "node-1000")
    assert nodes[0].capacity == nodes[0].allocatable == {"cpu": "8", "memory": "32Gi", "ephemeral-storage": "100Gi", "pods": "250"}
    assert "<dt>Nodes</dt><dd>1000</dd>" in run_page


def test_nodes_are_the_usual_three_unless_chosen(client):
    assert 'name="nodes" value="3"' in text_of(client.get("/new/"))
    new(client, POD, nodes="")
    assert Run.objects.get().header().cluster == default_cluster()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"nodes": "0"}, "greater than or equal to 1"),
        ({"nodes": "1001"}, "less than or equal to 1000"),
        ({"nodes": "many"}, "Enter a whole number"),
        ({"node_size": "cpu"}, "cpu: write a resource and its quantity"),
        ({"node_size": "cpu=lots"}, "cpu: lots is not a quantity"),
        ({"node_size": "memory=-1Gi"}, "memory: -1Gi is not a quantity"),
        ({"node_size": "pods=1.5"}, "pods: a whole number up to"),
        ({"node_size": "disk=9"}, "disk: a node has cpu, memory"),
        ({"node_size": "cpu=1, cpu=2"}, "cpu: appears twice"),
    ],
)
def test_nodes_that_cannot_be_are_refused_by_the_name_of_their_field(client, fields, told):
    page = new(client, POD, **fields)
    assert page.status_code == 422 and not Run.objects.exists()
    (name,) = fields
    assert told in html.unescape(text_of(page).split(f'id="id_{name}"')[1].split('class="field"')[0])


def test_scenario_with_more_nodes_opens_with_them(client):
    content = make_content(pod_json())
    cluster = replace(default_cluster(), nodes=equal_nodes(40, read_size("cpu=8")))
    Scenario.objects.create(
        slug="wide", title="Wide", body=encode_content(replace(content, header=replace(content.header, cluster=cluster)))
    )
    page = text_of(client.get("/new/?scenario=wide"))
    assert 'name="nodes" value="40"' in page and 'name="node_size" value="cpu=8"' in page


def test_runtime_is_containerd_unless_chosen(client):
    run_page = text_of(client.get(new(client, POD).url))
    assert Run.objects.get().header().cluster.runtime == "containerd" and "Container runtime" not in run_page


def test_scenario_with_the_phase_rules_of_1_3_opens_with_them(client):
    content = make_content(pod_json())
    header = replace(content.header, gates={"PodscopePhaseRules13": True, "InPlacePodVerticalScaling": False})
    Scenario.objects.create(slug="old", title="Old", body=encode_content(replace(content, header=header)))
    page = text_of(client.get("/new/?scenario=old"))
    assert '<option value="1.3" selected>' in page and 'value="InPlacePodVerticalScaling=false"' in page


@pytest.mark.parametrize(("minor", "patch"), [("1.20", "1.20.2"), ("1.30", "1.30.14"), ("1.37", "1.37.1")])
def test_version_menu_says_which_patch_a_minor_stands_for(minor, patch):
    label = dict(VersionField().choices)[minor]
    assert label == f"{minor} ({patch})"


def test_lens_says_which_patch_a_minor_stands_for(client, stories):
    page = client.get("/scenarios/hello-pod/lens/").content.decode()
    assert 'title="Behaves like 1.35.9"' in page
