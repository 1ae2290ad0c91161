"""What a run adds to the check of a text."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from simulator.engine import apply
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.world.world import World
from simulator.manifests.editor.diagnostics import TextReport, diagnose
from simulator.manifests.editor.preview import surroundings_of
from simulator.manifests.editor.preview.surroundings import _changed, _is_below
from tests.factories import pod_json
from tests.manifests.editor.preview.test_preview import SERVICE, edited, world


def checked(on: World, text: str) -> TextReport:
    return diagnose(text, kubernetes="1.30", cluster=surroundings_of(on))


def refused(report: TextReport):
    return [item for item in report.diagnostics if item.code == "update-refused"]


def test_check_marks_the_field_that_may_not_change() -> None:
    on = world()
    text = edited(on, lambda pod: pod["spec"].update(restartPolicy="Never"))
    found = refused(checked(on, text))

    assert [(item.path, text[item.start : item.end]) for item in found] == [("spec.restartPolicy", "Never")]
    assert found[0].message.startswith("Forbidden: pod updates may not change fields other than")


def test_check_puts_the_old_value_back_when_fix_is_taken() -> None:
    on = world()
    text = edited(on, lambda pod: pod["spec"].update(restartPolicy="Never"))
    edit = refused(checked(on, text))[0].quickfix[0].edits[0]

    assert edit.insert == "Always" and not refused(checked(on, text[: edit.start] + edit.insert + text[edit.end :]))


@pytest.mark.parametrize(
    ("change", "fixes"),
    [
        (lambda spec: spec.update(hostname="x"), ["Remove hostname"]),
        (lambda spec: spec["containers"][0]["command"].__setitem__(0, "ash"), ["Restore sh"]),
        (lambda spec: spec["containers"][0]["command"].__setitem__(2, "true"), []),
    ],
    ids=["new", "a line", "two lines"],
)
def test_check_puts_back_only_an_old_value_of_one_line(change: Callable[[dict[str, Any]], None], fixes: list[str]) -> None:
    on = world(pod_json(command=("sh", "-c", "sleep 10\nsleep 1000")))
    (found,) = refused(checked(on, edited(on, lambda pod: change(pod["spec"]))))

    assert [fix.title for fix in found.quickfix] == fixes


def test_check_marks_every_part_that_may_not_change() -> None:
    """Lists of other lengths are marked as a whole or at what is new; what may change beside them is not."""

    def change(pod: dict[str, Any]) -> None:
        first = pod["spec"]["containers"][0]
        first.update(image="busybox:1.36", command=["sleep"], args=["1"], ports=[{"containerPort": 81}, {"containerPort": 82}])

    ports = [{"containerPort": 80}]
    on = world(pod_json(containers=[{"name": "app", "image": "busybox:1.28", "command": ["sleep", "1000"], "ports": ports}]))
    found = refused(checked(on, edited(on, change)))

    assert [item.path.removeprefix("spec.containers[0].") for item in found] == ["args", "command", "ports[0].containerPort", "ports[1]"]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1, "b": 2}, {"a": 3}, [("a", "1")]),
        ({}, {"a": 1}, [("a", "")]),
        ({"a": 1}, {"a": {"b": 1}}, [("a", "1")]),
        ({"a": {"b": 1}}, {"a": 1}, [("a", "")]),
        ({"a": [1]}, {"a": 2}, [("a", "")]),
        ({"a": 1}, {"a": [1]}, [("a", "1")]),
        ({"a": [1, 2]}, {"a": [3, 2]}, [("a[0]", "1")]),
        ({"a": [1]}, {"a": [1, 2]}, [("a[1]", "")]),
        ({"a": [1, 2]}, {"a": [1]}, [("a", "")]),
    ],
)
def test_changes_are_the_paths_with_the_plain_values_that_were_there(old: Any, new: Any, found: list[tuple[str, str]]) -> None:
    assert list(_changed(old, new, "")) == found


@pytest.mark.parametrize(
    ("path", "is_below"), [("spec.a", True), ("spec.a.b", True), ("spec.a[0]", True), ("spec.ab", False), ("spec", False)]
)
def test_a_field_is_below_itself_and_what_holds_it(path: str, is_below: bool) -> None:
    assert _is_below(path, "spec.a") == is_below


@pytest.mark.parametrize(("change", "found"), [({}, (True, 1)), ({"hostNetwork": "maybe"}, (False, 0))])
def test_check_tries_no_change_of_what_is_broken(change: dict[str, Any], found: tuple[bool, int]) -> None:
    """A warning, here of an image without a tag, does not break it."""
    on = world(pod_json(containers=[{"name": "app", "image": "busybox", "command": ["sleep", "1000"]}]))
    report = checked(on, edited(on, lambda pod: pod["spec"].update(restartPolicy="Never", **change)))

    assert (any(item.severity == "warning" for item in report.diagnostics), len(refused(report))) == found


def test_check_tries_the_change_in_the_namespace_of_the_object() -> None:
    on = world(pod_json(namespace="kube-system"))
    text = pod_json(namespace="kube-system", restartPolicy="Never")

    assert [item.path for item in refused(checked(on, text))] == ["spec.restartPolicy"]


def test_check_is_silent_when_change_is_allowed() -> None:
    on = world()
    report = checked(on, edited(on, lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.36")))

    assert report.ok and not refused(report) and report.documents[0].exists


def test_check_says_nothing_of_updates_when_object_is_new() -> None:
    assert not refused(checked(world(), pod_json("other")))


def test_check_misses_readiness_probe_when_service_is_in_the_run() -> None:
    pod = json.loads(pod_json("new"))
    pod["metadata"]["labels"] = {"app": "web"}
    pod["spec"]["containers"][0]["ports"] = [{"containerPort": 80}]

    assert "readiness-missing" in [item.code for item in checked(world(SERVICE), json.dumps(pod)).diagnostics]


def test_check_knows_pods_of_the_run_when_service_is_new() -> None:
    on = world(pod_json().replace('"name": "web",', '"name": "web", "labels": {"app": "web"},', 1))

    assert "service-selects-nothing" not in [item.code for item in checked(on, SERVICE).diagnostics]


def test_check_knows_no_pod_that_is_gone_when_service_is_new() -> None:
    on = world(pod_json().replace('"name": "web",', '"name": "web", "labels": {"app": "web"},', 1), pod_json("other"))
    apply(on, DeletePod(target="default/web", force=True))

    assert "service-selects-nothing" in [item.code for item in checked(on, SERVICE).diagnostics]
