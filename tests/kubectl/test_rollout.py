"""``kubectl rollout``: its output at a moment, its effects, and its refusals."""

from typing import Any

import pytest

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.workloads.image import SetWorkloadImage
from simulator.engine.acts.workloads.rollout import PauseRollout, RestartRollout, UndoRollout
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.headless.session import Session
from simulator.kubectl.acting.verbs import action_of, is_acting
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.line import BadLine
from tests.engine.worlds import container, header, run

WEB: dict[str, Any] = {"kind": "Deployment", "namespace": "default", "name": "web"}
NEW = SetWorkloadImage(**WEB, container="app", image="busybox:1.29")


def deployment(**spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [container("sleep 600")], "terminationGracePeriodSeconds": 1},
    }
    wanted = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": wanted}


def session(seconds: float, *commands: tuple[float, AnyCommand], **spec: Any) -> Session:
    world, records = run(header(deployment(**spec), images=("busybox:1.29",)), seconds, *commands)
    return Session(world, records, now_ms=round(seconds * 1000))


def ask(line: str, seconds: float, *commands: tuple[float, AnyCommand], **spec: Any) -> str:
    """kubectl's output at that second."""
    world, _ = run(header(deployment(**spec), images=("busybox:1.29",)), seconds, *commands)
    return kubectl(world, line)


@pytest.mark.parametrize(
    ("seconds", "printed"),
    [
        (0, "Waiting for deployment spec update to be observed..."),
        (0.3, 'Waiting for deployment "web" rollout to finish: 0 of 2 updated replicas are available...'),
        (4, 'deployment "web" successfully rolled out'),
        (5.1, 'Waiting for deployment "web" rollout to finish: 1 out of 2 new replicas have been updated...'),
        (6.2, 'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...'),
        (20, 'deployment "web" successfully rolled out'),
    ],
)
def test_status_says_how_far_the_rollout_is(seconds: float, printed: str) -> None:
    commands = [(5, NEW)] if seconds >= 5 else []
    assert ask("rollout status deployment/web", seconds, *commands) == f"{printed}\n"


def test_status_of_a_rollout_that_is_given_up_is_an_error() -> None:
    bad = SetWorkloadImage(**WEB, container="app", image="nowhere:1")
    printed = ask("rollout status deploy web", 30, (5, bad), progressDeadlineSeconds=8)
    assert printed == 'error: deployment "web" exceeded its progress deadline\n'


def test_history_names_every_revision_and_shows_one() -> None:
    assert ask("rollout history deploy/web", 20, (5, NEW)).splitlines() == [
        "deployment.apps/web ", "REVISION  CHANGE-CAUSE", "1         <none>", "2         <none>", "",
    ]  # fmt: skip
    lines = ask("rollout history deploy/web --revision=2", 20, (5, NEW)).splitlines()
    assert lines[0] == "deployment.apps/web with revision #2"
    assert "    Image:\tbusybox:1.29" in lines and lines[2].startswith("  Labels:\tapp=web")
    assert ask("rollout history deploy/web --revision=9", 9) == "error: unable to find the specified revision\n"


@pytest.mark.parametrize(
    ("line", "command", "printed"),
    [
        ("rollout restart deploy/web", RestartRollout(**WEB), "deployment.apps/web restarted"),
        ("rollout undo deploy/web", UndoRollout(**WEB), "deployment.apps/web rolled back"),
        ("rollout undo deploy/web --to-revision=1", UndoRollout(**WEB, to_revision=1), "deployment.apps/web rolled back"),
        ("rollout pause deploy web", PauseRollout(**WEB), "deployment.apps/web paused"),
        ("scale deploy web --replicas=4", ScaleWorkload(**WEB, replicas=4), "deployment.apps/web scaled"),
        (
            "set image deploy/web app=busybox:1.28",
            SetWorkloadImage(**WEB, container="app", image="busybox:1.28"),
            "deployment.apps/web image updated",
        ),
    ],
)
def test_line_is_the_act_and_is_reported(line: str, command: AnyCommand, printed: str) -> None:
    own = session(20, (5, NEW))
    assert [step.command for step in action_of(own.world, line).steps] == [command]
    assert own.ask(line) == f"{printed}\n"


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("rollout undo deploy/web", 'error: no rollout history found for deployment "web"'),
        ("rollout undo deploy/web --to-revision=7", "error: unable to find specified revision 7 in history"),
        ("rollout undo deploy/web --to-revision=1", "deployment.apps/web skipped rollback (current template already matches revision 1)"),
        ("rollout resume deploy/web", 'error: deployments.apps "web" is not paused'),
        ("rollout pause rs", 'error: replicasets.apps "web-54589dffd9" pausing is not supported'),
        ("rollout", "error: a subcommand is needed\nSee 'kubectl rollout --help' for usage."),
        ("rollout restart deploy/none", 'Error from server (NotFound): deployments.apps "none" not found'),
    ],
)
def test_line_is_refused_in_the_words_of_kubectl(line: str, printed: str) -> None:
    with pytest.raises(BadLine) as refused:
        action_of(session(5).world, line)
    assert str(refused.value) == printed


def test_paused_deployment_is_neither_restarted_nor_undone() -> None:
    own = session(20, (5, NEW), (15, PauseRollout(**WEB)))
    assert own.ask("rollout restart deploy/web") == (
        'error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n'
    )
    advice = "resume it first with 'kubectl rollout resume deployment/web' and try again"
    assert own.ask("rollout undo deploy/web") == f"error: you cannot rollback a paused deployment; {advice}\n"


def test_only_what_changes_something_acts() -> None:
    assert [is_acting(f"rollout {verb} deploy/web") for verb in ("status", "history", "undo", "restart")] == [False, False, True, True]


def test_undo_returns_to_the_template_with_a_new_revision() -> None:
    world, _ = run(header(deployment(), images=("busybox:1.29",)), 40, (5, NEW), (20, UndoRollout(**WEB)))
    assert kubectl(world, "rollout history deploy/web").splitlines()[2:4] == ["2         <none>", "3         <none>"]
    assert "Image:      busybox:1.28" in kubectl(world, "describe deploy web")


def keeper(kind: str) -> dict[str, Any]:
    """A DaemonSet or StatefulSet, whose revisions are objects of their own."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [container("sleep 600")], "terminationGracePeriodSeconds": 1},
    }
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template, **({"serviceName": "web"} if kind == "StatefulSet" else {})}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": spec}


KEEPERS = pytest.mark.parametrize(("kind", "word"), [("DaemonSet", "daemonset"), ("StatefulSet", "statefulset")])


def rolled(kind: str, seconds: float, *commands: tuple[float, AnyCommand]) -> Session:
    """Its image was changed at second 5."""
    new = SetWorkloadImage(**{**WEB, "kind": kind}, container="app", image="busybox:1.29")
    world, records = run(header(keeper(kind), images=("busybox:1.29",)), seconds, (5, new), *commands)
    return Session(world, records, now_ms=round(seconds * 1000))


@KEEPERS
def test_history_of_revisions_names_and_shows_them(kind: str, word: str) -> None:
    own = rolled(kind, 20)
    head = f"{word}.apps/web "
    assert own.ask(f"rollout history {word}/web").splitlines()[:4] == [
        head,
        "REVISION  CHANGE-CAUSE",
        "1         <none>",
        "2         <none>",
    ]
    assert "    Image:\tbusybox:1.28" in own.ask(f"rollout history {word}/web --revision=1").splitlines()
    assert own.ask(f"rollout history {word}/web --revision=9") == "error: unable to find the specified revision\n"


@KEEPERS
def test_undo_returns_to_a_revision_which_becomes_the_newest(kind: str, word: str) -> None:
    own = rolled(kind, 20)
    assert own.ask(f"rollout undo {word}/web") == f"{word}.apps/web rolled back\n"
    later = rolled(kind, 60, (20, UndoRollout(**{**WEB, "kind": kind})))
    assert later.ask(f"rollout history {word}/web").splitlines()[2:4] == ["2         <none>", "3         <none>"]
    assert "image: busybox:1.28" in later.ask("get pods -o yaml")


@KEEPERS
def test_undo_of_revisions_is_refused_in_the_words_of_kubectl(kind: str, word: str) -> None:
    fresh = Session(*run(header(keeper(kind)), 5), now_ms=5000)
    assert fresh.ask(f"rollout undo {word}/web") == "error: no last revision to roll back to\n"
    own = rolled(kind, 20)
    assert own.ask(f"rollout undo {word}/web --to-revision=7") == "error: unable to find specified revision 7 in history\n"
    skipped = f"{word}.apps/web skipped rollback (current template already matches revision 2)\n"
    assert own.ask(f"rollout undo {word}/web --to-revision=2") == skipped


def test_status_waits_for_the_end_and_prints_each_text_once() -> None:
    here = session(5, (4.9, NEW))
    printed = here.ask("rollout status deployment/web").splitlines()
    assert len(printed) > 2 and len(printed) == len(set(printed))
    assert printed[-1] == 'deployment "web" successfully rolled out' and here.now_ms > 5_000


def test_status_without_watching_is_about_its_moment() -> None:
    here = session(5.1, (5, NEW))
    assert here.ask("rollout status deployment/web --watch=false").count("\n") == 1 and here.now_ms == 5_100
