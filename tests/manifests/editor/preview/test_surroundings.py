"""What a run adds to the check of a text."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from simulator.engine.world.world import World
from simulator.manifests.editor.diagnostics import TextReport, diagnose
from simulator.manifests.editor.preview import surroundings_of
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
