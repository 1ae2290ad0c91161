"""What an import shows never contradicts the document; tests/bench/test_import_fuzz.py checks this for random pods."""

from typing import Any

import pytest

from simulator.engine import Record, World, advance, new_world
from simulator.engine.model.status import Terminated, Waiting
from simulator.headless.tables import watch_table
from simulator.imports.build import Imported, import_text
from simulator.imports.document import ANNOTATION
from simulator.kubectl.kubectl import kubectl
from tests.imports import kubectl as told

BASE_MS = 1_772_366_400_000
SIDECAR = {"initContainers": [{**told.container("logs"), "restartPolicy": "Always"}]}
UNSEEN = {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": None, "finishedAt": None}}


def played(text: str, **options: Any) -> tuple[Imported, World, list[Record]]:
    """The import at its moment."""
    imported = import_text(text, **options)
    assert imported.header is not None, imported.problems
    world = new_world(imported.header)
    return imported, world, [*world.first_records, *advance(world, until_ms=imported.resume_ms).records]


def words(records: list[Record]) -> list[str]:
    return [record.target for record in records if record.machine == "status_word" and record.target != record.source]


def finished_sidecar() -> str:
    """A Job's pod whose sidecar was killed half a minute after its container had ended."""
    held = told.conditions(ready="False", since=13)
    logs = told.status("logs", told.terminated(1, 42, 137))
    main = told.status("main", told.terminated(2, 12, 0, "Completed"))
    more = {"conditions": held, "initContainerStatuses": [logs]}
    return told.listing(told.pod(main, phase="Succeeded", spec={**SIDECAR, "restartPolicy": "Never"}, status=more))


def test_a_sidecar_that_outlived_its_pods_container_ends_when_the_status_says() -> None:
    imported = import_text(finished_sidecar(), kubernetes="1.32")
    assert imported.header is not None
    world = new_world(imported.header)
    advance(world, until_ms=41_000)
    (row,) = world.tables.pods.values()
    assert not isinstance(row.status.init_containers[0].state, Terminated)
    assert row.status.phase == "Running"


def test_a_sidecar_that_runs_is_ready_before_the_import() -> None:
    logs = told.running(1, name="logs")
    text = told.listing(told.pod(told.running(3, name="main"), spec=SIDECAR, status={"initContainerStatuses": [logs]}))
    imported = import_text(text, kubernetes="1.32", now_ms=BASE_MS + 60_000)
    assert imported.header is not None
    world = new_world(imported.header)
    advance(world, until_ms=10_000)
    assert kubectl(world, "kubectl get pods").splitlines()[1].split()[1:3] == ["2/2", "Running"]


def lost(**more: Any) -> str:
    """An evicted pod whose container ended twice without being observed."""
    app = told.status("app", UNSEEN, restarts=1, last=UNSEEN)
    held = [told.condition("DisruptionTarget", "True", 500, reason="TerminationByKubelet"), *told.conditions(ready="False", since=502)]
    return told.listing(told.pod(app, phase="Failed", status={"reason": "Evicted", "conditions": held}, **more))


def test_a_moment_that_the_text_leaves_open_stays_open() -> None:
    _, world, _ = played(lost())
    (row,) = world.tables.pods.values()
    (app,) = row.status.containers
    assert isinstance(app.state, Terminated)
    assert isinstance(app.last_state, Terminated)
    assert [app.state.started_ms, app.state.finished_ms, app.last_state.started_ms, app.last_state.finished_ms] == [None] * 4


def test_ends_that_nobody_saw_lie_before_the_end_of_the_pod_and_are_shown_once() -> None:
    _, _, records = played(lost())
    assert words(records)[-2:] == ["Running", "ContainerStatusUnknown"]
    assert max(record.at_ms for record in records if record.machine == "container") < 503_000


def test_the_instance_before_one_that_runs_ended_before_it() -> None:
    app = told.running(300, restarts=1, last=UNSEEN)
    _, _, records = played(told.listing(told.pod(app)))
    ended = [record.at_ms for record in records if record.machine == "container" and record.target == "exited"]
    assert len(ended) == 1
    assert ended[0] <= 301_000


def test_a_pod_is_never_ready_after_the_last_change_to_not_ready() -> None:
    held = told.conditions(ready="False", since=100)
    app = told.status("app", told.waiting("CrashLoopBackOff"), restarts=9, last=told.terminated(900, 900, 42))
    _, _, records = played(told.listing(told.pod(app, status={"conditions": held})))
    late = [record for record in records if record.at_ms > 101_000 and record.machine in ("status_word", "condition")]
    assert late
    assert not [record for record in late if record.get("ready") == "1/1" or record.target == "True"]


def test_a_pod_is_always_ready_after_the_last_change_to_ready() -> None:
    app = told.running(500, restarts=1, last=told.terminated(2, 499))
    _, _, records = played(told.listing(told.pod(app)))
    late = [record for record in records if record.at_ms > 3_000 and record.machine == "status_word"]
    assert {record.get("ready") for record in late} == {"1/1"}


@pytest.mark.parametrize("restarts", [3, 200, 5000])
def test_a_window_begins_with_the_restarts_that_there_were(restarts: int) -> None:
    now = 3_500
    app = told.running(now - 60, restarts=restarts, last=told.terminated(now - 400, now - 380))
    text = told.listing(told.pod(app, status={"conditions": told.conditions(since=now - 60)}))
    imported = import_text(text, now_ms=BASE_MS + now * 1000, past_ms_max=600_000)
    assert imported.header is not None
    world = new_world(imported.header)
    begun = [*world.first_records, *advance(world, until_ms=0).records]
    (row,) = world.tables.pods.values()
    assert "ContainerCreating" not in words(begun)
    assert row.status.containers[0].restart_count > 0


def test_the_given_moment_counts_within_the_second_of_the_latest_one_of_the_text() -> None:
    imported, world, _ = played(told.listing(told.pod(told.running(2))), now_ms=BASE_MS + 2_600)
    assert imported.resume_ms == 2_600
    assert kubectl(world, "kubectl get pods").splitlines()[1].split()[-1] == "2s"
    assert not [problem for problem in imported.problems if problem.code == "too-early"]


def test_a_probe_goes_on_in_the_beat_of_its_pod() -> None:
    spec = {"containers": [{**told.container("app"), "startupProbe": {"exec": {"command": ["true"]}, "periodSeconds": 100}}]}
    app = {**told.running(2), "started": False, "ready": False}
    held = told.conditions(ready="False", since=0)
    text = told.listing(told.pod(app, spec=spec, status={"conditions": held}))
    imported, world, _ = played(text, now_ms=BASE_MS + 30_000, kubernetes="1.30", jitter=False)
    tried = [record.at_ms for record in advance(world, until_ms=250_000).records if record.machine == "probe_attempt"]
    assert tried
    assert 99_000 <= tried[0] <= 101_500


def test_the_table_of_a_run_counts_ages_from_the_pods_creation() -> None:
    text = told.listing(told.pod(told.running(2), status={"conditions": told.conditions(since=2)}))
    imported, world, records = played(text, now_ms=BASE_MS + 3_000_000, past_ms_max=600_000)
    assert imported.header is not None
    *_, last, _end = watch_table(records, until_ms=imported.resume_ms, header=imported.header)
    assert last.split()[-1] == "40m"
    world = new_world(imported.header)
    advance(world, until_ms=0)
    assert kubectl(world, "kubectl get pods").split()[-1] == "40m"


def held_back(**metadata: Any) -> str:
    """A pod that was deleted while its container waited, a minute after its deadline."""
    app = told.status("app", told.waiting("CrashLoopBackOff"), restarts=3, last=told.terminated(80, 86, 143, "Error"))
    deleted = {"deletionTimestamp": told.at(180), "deletionGracePeriodSeconds": 40, **metadata}
    return told.listing(told.pod(app, metadata=deleted, status={"conditions": told.conditions(ready="False", since=86)}))


@pytest.mark.parametrize("metadata", [{}, {"finalizers": ["example.com/held"]}])
def test_a_deleted_pod_that_only_waits_is_left_as_it_is(metadata: dict[str, Any]) -> None:
    _, world, _ = played(held_back(**metadata), now_ms=BASE_MS + 240_000)
    (row,) = world.tables.pods.values()
    assert isinstance(row.status.containers[0].state, Waiting)


def test_a_pod_that_was_ready_in_its_first_second_had_its_container_by_then() -> None:
    app = told.running(99, restarts=3, last=told.terminated(66, 99))
    imported = import_text(told.listing(told.pod(app, status={"conditions": told.conditions(since=0)})))
    assert imported.header is not None
    world = new_world(imported.header)
    advance(world, until_ms=1_000)
    assert kubectl(world, "kubectl get pods").splitlines()[1].split()[1] == "1/1"


def test_a_program_that_would_not_begin_here_stands_and_can_be_probed() -> None:
    probe = {"tcpSocket": {"port": 80}, "periodSeconds": 1}
    spec = {"containers": [{"name": "app", "image": "busybox:1.36", "command": ["no-such-program"], "readinessProbe": probe}]}
    text = told.listing(
        told.pod({**told.running(2), "ready": False}, spec=spec, status={"conditions": told.conditions(ready="False", since=0)})
    )
    blocks = {"web": {"app": {"exit": {"after": "0s", "code": 1}}}}
    imported, world, _ = played(text, now_ms=BASE_MS + 60_000, blocks=blocks)
    records = advance(world, until_ms=imported.resume_ms + 10_000).records
    (row,) = world.tables.pods.values()
    (app,) = world.tables.instances[row.key]
    assert app.process is not None
    assert (app.state, app.process.exit_code, [task.argv for task in app.process.tasks]) == ("running", None, [("sleep", "infinity")])
    assert {record.target for record in records if record.machine == "probe_attempt"} == {"failure"}
    assert not [record for record in records if record.machine == "container"]


def test_kubelet_says_of_a_pod_that_is_deleted_only_after_the_import_what_it_makes_of_it() -> None:
    """Its node was shut down before it could write more; at the moment of import the pod is as in the text."""
    failed = [told.condition(kind, "False", 3, reason="PodFailed") for kind in ("Ready", "ContainersReady")]
    app = told.status("app", told.waiting("CreateContainerConfigError", 'configmap "c" not found'))
    deleted = {"deletionTimestamp": told.at(70), "deletionGracePeriodSeconds": 30}
    text = told.listing(
        told.pod(app, phase="Pending", metadata=deleted, status={"conditions": [told.condition("PodScheduled", "True", 0), *failed]})
    )
    imported, world, _ = played(text, now_ms=BASE_MS + 52_000)
    (row,) = world.tables.pods.values()
    ready = row.status.condition("Ready")
    assert ready is not None and (ready.reason, row.status.containers[0].state) == (
        "PodFailed", Waiting("CreateContainerConfigError", 'configmap "c" not found'),
    )  # fmt: skip
    advance(world, until_ms=imported.resume_ms + 2_000)
    assert world.tables.pods["shop/web"].gone_ms is not None


def turns(kind: str, since: int) -> list[tuple[int, str]]:
    """When a condition changed to what, in seconds of the run, if the text dates its last change this long after the pod's creation."""
    held = [*(item for item in told.conditions(since=2) if item["type"] != kind), told.condition(kind, "True", since)]
    _, _, records = played(told.listing(told.pod(told.running(1), status={"conditions": held})), now_ms=BASE_MS + 100_000)
    return [
        (record.at_ms // 1000, record.target) for record in records if record.machine == "condition" and record.subject.endswith(f"/{kind}")
    ]


def test_only_of_the_kubelets_own_conditions_is_known_what_they_said_before() -> None:
    assert turns("Initialized", 20) == [(0, "False"), (20, "True")]
    assert turns("example.com/gate", 20) == [(20, "True")]
    assert turns("PodScheduled", 20) == [(20, "True")]


def two_pods(*, earliest_first: bool) -> str:
    """A pod, and another that was created ten minutes later."""
    held = told.conditions(since=602)
    metadata = {"creationTimestamp": told.at(600), "uid": told.UID.replace("0f", "1f")}
    later = told.pod(told.running(601), name="late", metadata=metadata, status={"startTime": told.at(600), "conditions": held})
    pods = [told.pod(told.running(1)), later]
    return told.listing(*(pods if earliest_first else reversed(pods)))


@pytest.mark.parametrize("earliest_first", [True, False])
def test_a_run_begins_when_the_first_of_its_pods_was_created(earliest_first: bool) -> None:
    imported = import_text(two_pods(earliest_first=earliest_first), now_ms=BASE_MS + 700_000)
    assert imported.header is not None
    assert (imported.header.epoch_s, imported.resume_ms) == (BASE_MS // 1000, 700_000)


@pytest.mark.parametrize("earliest_first", [True, False])
@pytest.mark.parametrize(("past_ms_max", "is_cut"), [(700_000, False), (699_999, True), (100_000, True)])
def test_a_past_that_is_longer_than_what_is_shown_is_noted(earliest_first: bool, past_ms_max: int, is_cut: bool) -> None:
    imported = import_text(two_pods(earliest_first=earliest_first), now_ms=BASE_MS + 700_000, past_ms_max=past_ms_max)
    assert any(problem.code == "cut" for problem in imported.problems) is is_cut


@pytest.mark.parametrize(("now_ms", "resume_ms", "is_early"), [(1_999, 3_000, True), (2_000, 2_000, False), (2_001, 2_001, False)])
def test_the_given_moment_is_replaced_only_if_it_is_before_the_latest_one_of_the_text(now_ms: int, resume_ms: int, is_early: bool) -> None:
    imported = import_text(told.listing(told.pod(told.running(2))), now_ms=BASE_MS + now_ms)
    assert (imported.resume_ms, any(problem.code == "too-early" for problem in imported.problems)) == (resume_ms, is_early)


@pytest.mark.parametrize(("names", "title"), [("a", "a"), ("abc", "a, b, c"), ("abcd", "a, b, c, …")])
def test_an_import_is_called_after_its_first_pods(names: str, title: str) -> None:
    pods = [told.pod(told.running(2), name=name, metadata={"uid": told.UID.replace("0f", f"{n}f")}) for n, name in enumerate(names)]
    assert import_text(told.listing(*pods)).title == title


@pytest.mark.parametrize(
    ("written", "is_taken"),
    [('{"app": {"exit": {"after": "9s", "code": 1}}}', True), ("[1]", False), ('"app"', False), ("{", False)],
)
def test_only_a_map_in_the_annotation_says_what_containers_do(written: Any, is_taken: bool) -> None:
    imported = import_text(told.listing(told.pod(told.running(2), metadata={"annotations": {ANNOTATION: written}})))
    ((assumed,),) = imported.assumed.values()
    assert (assumed.block == {"exit": {"after": "9s", "code": 1}}) is is_taken
