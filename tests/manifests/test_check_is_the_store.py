"""What the check of a text accepts is exactly what the store of a fresh run creates."""

import ast
import json
import random
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import tests
from simulator.bench.documents import mutations, schema_documents
from simulator.bench.fuzz import VERSIONS, story_examples
from simulator.engine import ClusterSpec, NodeSpec, RunHeader, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.store.surroundings import cluster_of
from simulator.engine.apiserver.wire.catalog import catalog, minor_in
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions import gates_of
from simulator.manifests.check.check import check_text
from simulator.manifests.check.kinds import UNMATCHED
from simulator.manifests.problems import ERROR, WARNING, Problem, sorted_problems
from tests.engine.apiserver.store import requests

CONTAINERS = [{"name": "c", "image": "busybox:1.28"}]
SELECTOR = {"matchLabels": {"a": "b"}}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": CONTAINERS}}
JOB = {"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}
WORKLOAD = {"spec": {"selector": SELECTOR, "template": TEMPLATE}}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUME = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}


def of(kind: str, version: str = "v1", **more: Any) -> Json:
    """An object named n."""
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "n"}, **more}


POD = of("Pod", spec={"containers": CONTAINERS})
SMALL = (
    POD,
    of("ConfigMap", data={"a": "b"}),
    of("Secret", data={"a": "YQ=="}),
    of("Service", spec={"ports": [{"port": 80}]}),
    of("PersistentVolumeClaim", spec=CLAIM),
    of("PersistentVolume", spec=VOLUME),
    of("LimitRange", spec={"limits": [{"type": "Container", "max": {"cpu": "1"}}]}),
    of("ResourceQuota", spec={"hard": {"pods": "1"}}),
    of("ServiceAccount"),
    of("Namespace"),
    of("Node"),
    *(of(kind, "apps/v1", **WORKLOAD) for kind in ("Deployment", "ReplicaSet", "DaemonSet")),
    of("StatefulSet", "apps/v1", spec={**WORKLOAD["spec"], "serviceName": "s"}),
    of("Job", "batch/v1", spec=JOB),
    of("CronJob", "batch/v1", spec={"schedule": "* * * * *", "jobTemplate": {"spec": JOB}}),
    of("PodDisruptionBudget", "policy/v1", spec={"selector": SELECTOR, "minAvailable": 1}),
    of("PriorityClass", "scheduling.k8s.io/v1", value=3),
)
"""A minimal object of every kind, so that nearly any change of it is noticeable."""
ODD = (None, True, 0, -1, 1, 1.5, "", "a", [], {}, [None], "1", "A b", "a/b", 70000, 2**31, 2**63)
CLIENT = ("not-simulated", "required", "not-an-object")
"""Codes of problems before the store: kubectl knows no kind to send it as, or the site leaves it out."""
LIKELY = ("web", "Always", "Never", "OnFailure", "IfNotPresent", "TCP", "NoExecute", "Exists", "64Mi", "100m", "25%", "None")


def fresh(kubernetes: str, gates: dict[str, bool]) -> Any:
    """A run without objects."""
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),))
    return new_world(RunHeader(kubernetes=kubernetes, jitter=False, seed=1, cluster=cluster, gates=gates))


WORLDS: dict[tuple[str, tuple[tuple[str, bool], ...]], Any] = {}


def refusals(documents: tuple[str, ...], kubernetes: str, gates: dict[str, bool]) -> list[str]:
    """The errors of a fresh run's store about these objects, sent one after the other."""
    key = (kubernetes, tuple(gates.items()))
    if key not in WORLDS:
        WORLDS[key] = fresh(kubernetes, gates)
    records = apply(WORLDS[key].fork(), ApplyManifest(documents=documents))
    return [str(record.get("message")) for record in records if record.target == "refused"]


def agree(documents: Any, kubernetes: str, gates: dict[str, bool] | None = None) -> None:
    """The check of one or several documents reports what the store reports."""
    several = documents if isinstance(documents, list) else [documents]
    text = "\n---\n".join(json.dumps(document) for document in several)
    checked = check_text(text, kubernetes=kubernetes, strict=False, gates=gates)
    sent = tuple(document.json for document in checked.documents)
    if len(sent) < len(several):  # kinds that are not simulated are left out; those that are not served are refused
        sent = tuple(json.dumps(document) for document in several if str(document.get("kind")) in KINDS)
        if len(sent) < len(several) or any(item.code in CLIENT for item in checked.problems):
            return
    said = refusals(sent, kubernetes, gates or {})
    errors = [(item.path, item.message) for item in checked.problems if item.severity == ERROR or item.code == UNMATCHED]
    assert bool(errors) == bool(said), (text, errors, said)


def changed(document: Json, kubernetes: str, rng: random.Random) -> Json:
    """The document with one or two values replaced, removed or added, according to its schema."""
    found = deepcopy(document)
    schema = catalog(minor_in(kubernetes)).schema(found["apiVersion"], found["kind"])
    assert schema is not None
    for _ in range(rng.choice((1, 1, 2))):
        owner, key, inner = rng.choice([place for place in places(found, schema) if place[1] not in ("apiVersion", "kind")])
        if rng.randrange(6) == 0 and (isinstance(owner, list) or key in owner):
            del owner[key]
        else:
            owner[key] = value_of(inner, rng, depth=4)
    return found


def places(value: Any, schema: Json) -> Iterator[tuple[Any, Any, Json]]:
    """Owner, key and schema of every field that exists or could."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield value, index, schema.get("items") or {}
            yield from places(item, schema.get("items") or {})
    if not isinstance(value, dict):
        return
    shapes, others = schema.get("properties") or {}, schema.get("additionalProperties")
    for key in sorted({*value, *shapes} - {"managedFields"}):  # which are not part of the object
        inner = shapes.get(key) or (others if isinstance(others, dict) else {})
        yield value, key, inner
        if key in value:
            yield from places(value[key], inner)


def value_of(schema: Json, rng: random.Random, *, depth: int) -> Any:
    """A value of a schema, occasionally an invalid one."""
    if depth < 0 or rng.randrange(12) == 0:
        return deepcopy(rng.choice(ODD))
    kinds = schema.get("type") or ""
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if choices := [item for item in schema.get("enum") or () if item is not None]:
        return rng.choice([*choices, "x"])
    if kind == "array":
        return [value_of(schema.get("items") or {}, rng, depth=depth - 1) for _ in range(rng.randrange(3))]
    if shapes := {key: inner for key, inner in (schema.get("properties") or {}).items() if key != "managedFields"}:
        needed = [key for key in schema.get("required") or () if rng.randrange(4)]
        more = rng.sample(sorted(shapes), min(len(shapes), rng.randrange(3)))
        return {key: value_of(shapes[key], rng, depth=depth - 1) for key in dict.fromkeys((*needed, *more))}
    if kind == "object":
        others = schema.get("additionalProperties")
        inner = others if isinstance(others, dict) else {}
        return {rng.choice(LIKELY): value_of(inner, rng, depth=depth - 1) for _ in range(rng.randrange(3))}
    if kind == "boolean":
        return rng.random() < 0.5
    return rng.choice((0, 1, 2, 5, 30, 80, -1, 65536)) if kind == "integer" else rng.choice(LIKELY)


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_manifests_of_stories_are_judged_as_the_store_judges_them(kubernetes):
    for document in story_examples():
        agree(document, kubernetes)


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_documents_of_store_requests_are_judged_as_the_store_judges_them(kubernetes):
    for document in (requests.config(), requests.budget(minAvailable=1), requests.web("p"), requests.web("p", priority=5), *SMALL):
        agree({"apiVersion": "v1", **document}, kubernetes)


def texts_of_tests() -> list[Json]:
    """Every document written as YAML text in a test of manifests or of the store."""
    root = Path(tests.__path__[0])
    files = sorted([*root.glob("manifests/**/*.py"), *root.glob("engine/apiserver/**/*.py")])
    words = (node.value for file in files for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant))
    texts = dict.fromkeys(text for text in words if isinstance(text, str) and "apiVersion: " in text and "kind: " in text)
    raws = (raw.value for text in texts for raw in check_text(text, kubernetes="1.30").raws)
    return [value for value in raws if isinstance(value, dict)]


def test_documents_in_tests_are_judged_as_the_store_judges_them():
    found = texts_of_tests()
    assert len(found) > 20
    for document in found:
        for kubernetes in ("1.20", "1.33"):
            agree(document, kubernetes)


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_one_change_is_judged_as_the_store_judges_it(kubernetes):
    rng = random.Random(int(minor_in(kubernetes)))
    kinds = [item for item in SMALL if check_text(json.dumps(item), kubernetes=kubernetes).ok]
    for _ in range(250):
        agree(changed(rng.choice((POD, rng.choice(kinds))), kubernetes, rng), kubernetes)


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_several_objects_and_gates_are_judged_as_the_store_judges_them(kubernetes):
    rng = random.Random(int(minor_in(kubernetes)))
    needed = {name for gate in gates_of(kubernetes) for name in gate.needs}
    free = [gate for gate in gates_of(kubernetes) if not (gate.locked or gate.idle or gate.needs or gate.name in needed)]
    settings_of_runs = [{gate.name: not gate.on for gate in rng.sample(free, min(3, len(free)))} for _ in range(8)]
    for _ in range(60):
        documents = [changed(rng.choice((POD, *SMALL)), kubernetes, rng) for _ in range(3)]
        for number, document in enumerate(documents):
            metadata = document.get("metadata")
            document["metadata"] = {**(metadata if isinstance(metadata, dict) else {}), "name": f"n{number}"}
        agree(documents, kubernetes, rng.choice(settings_of_runs))


@settings(
    max_examples=250, deadline=None, database=None, derandomize=True, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)
@given(schema_documents() | st.tuples(st.sampled_from(VERSIONS), mutations(story_examples())))
def test_any_document_is_judged_as_the_store_judges_it(case):
    if isinstance(case[1], dict):
        agree(case[1], case[0])


def errors_of(text: str, **options: Any) -> list[tuple[int, str, str]]:
    """Line, path and code of the errors of a text."""
    problems = check_text(text, kubernetes=options.pop("kubernetes", "1.30"), **options).problems
    return [(item.line, item.path, item.code) for item in problems if item.severity == ERROR]


PLAIN = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c, image: i, resources: {}}]\n"
CLASS = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10\n---\n"
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: team}\nspec: {hard: {pods: 1}}\n---\n"


@pytest.mark.parametrize(
    ("more", "path", "code"),
    [
        ("priorityClassName: high", "spec.priorityClassName", "priority-class"),
        ("priority: 7", "spec.priority", "priority-class"),
        ("runtimeClassName: fast", "spec.runtimeClassName", "not-admitted"),
        ("overhead: {cpu: 1}", "spec.overhead", "not-admitted"),
    ],
)
def test_what_admission_refuses_stands_at_its_field(more, path, code):
    assert errors_of(f"{PLAIN}  {more}\n") == [(6, path, code)]


def test_admission_and_rules_are_told_together():
    found = errors_of(PLAIN.replace("name: p", "name: P_") + "  priorityClassName: high\n")
    assert found == [(3, "metadata.name", "name-syntax"), (6, "spec.priorityClassName", "priority-class")]


def test_object_of_the_text_is_there_for_those_after_it_only():
    pod = f"{PLAIN}  priorityClassName: high\n"
    assert errors_of(CLASS + pod) == []
    assert [code for _, _, code in errors_of(f"{pod}---\n{CLASS}")] == ["priority-class"]


def test_refused_class_is_not_there_for_pods():
    assert [code for _, _, code in errors_of(CLASS.replace("high", "H_") + f"{PLAIN}  priorityClassName: H_\n")].count(
        "priority-class"
    ) == 1


def test_quota_counts_the_pods_of_the_text_in_its_namespace():
    first, second = (PLAIN.replace("name: p", f"name: {name}, namespace: team") for name in ("a", "b"))
    other = PLAIN.replace("name: p", "name: c")
    assert [code for _, _, code in errors_of(f"{QUOTA}{first}---\n{second}---\n{other}")] == ["quota"]


def test_objects_of_the_run_are_there():
    world = fresh("1.30", {})
    pod = f"{PLAIN}  priorityClassName: high\n"
    apply(world, ApplyManifest(documents=(json.dumps(of("PriorityClass", "scheduling.k8s.io/v1", value=3)),)))
    assert errors_of(pod.replace("high", '"n"'), cluster=cluster_of(world)) == []
    assert len(errors_of(pod, cluster=cluster_of(world))) == 1


def test_any_name_is_there_when_nothing_is_known_of_the_cluster():
    assert errors_of(f"{PLAIN}  priorityClassName: high\n  runtimeClassName: fast\n", cluster=None) == []


def test_fault_of_a_default_stands_at_the_nearest_part_that_was_written():
    request, limit = errors_of(PLAIN.replace("resources: {}", "resources: {\n    limits: {cpu: -1}}"))
    assert (limit[0], limit[1]) == (6, "spec.containers[0].resources.limits[cpu]")
    assert (request[0], request[1]) == (5, "spec.containers[0].resources.requests[cpu]")


@pytest.mark.parametrize(("gates", "count"), [({}, 0), ({"SidecarContainers": True}, 1)])
def test_field_that_is_switched_off_is_not_judged(gates, count):
    text = f"{PLAIN}  initContainers: [{{name: i, image: i, restartPolicy: Sometimes}}]\n"
    assert len(errors_of(text, kubernetes="1.28", gates=gates)) == count


def test_what_only_the_schema_requires_is_a_warning():
    problems = check_text("apiVersion: v1\nkind: LimitRange\nmetadata: {name: few}\nspec: {}", kubernetes="1.30").problems
    assert [(item.path, item.severity) for item in problems] == [("spec.limits", WARNING)]


def test_new_object_may_not_name_a_revision_unless_it_exists():
    text = PLAIN.replace("name: p", "name: p, resourceVersion: '5'")
    assert errors_of(text) == [(3, "metadata.resourceVersion", "resource-version")]
    assert errors_of(text, known=frozenset({("Pod", "default", "p")})) == []


def test_object_that_exists_is_not_admitted_again():
    text = f"{PLAIN}  priority: 7\n"
    assert errors_of(text, known=frozenset({("Pod", "default", "p")})) == []


def test_warnings_never_hide_an_error():
    problems = [Problem(severity=WARNING, message=str(n), code="w", line=n) for n in range(1, 200)]
    kept = sorted_problems([*problems, Problem(severity=ERROR, message="e", code="e", line=500)])
    assert (len(kept), kept[-1].severity) == (100, ERROR)
