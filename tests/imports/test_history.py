from types import SimpleNamespace

import pytest

from simulator.engine import advance, new_world
from simulator.imports import history
from simulator.imports.build import import_text
from simulator.imports.containers import problems
from simulator.imports.lives import RESTARTS, STATE, Life, LivedContainer, lives_max, wait_before
from simulator.imports.read import Event
from tests.imports import kubectl


def records_of(text, *, more_ms=0, **options):
    imported = import_text(text, **options)
    assert imported.ok, imported.problems
    world = new_world(imported.header)
    return imported, world, [*world.first_records, *advance(world, until_ms=imported.resume_ms + more_ms).records]


def words(records):
    return [record.target for record in records if record.machine == "status_word"]


def find(records, machine, target):
    return [record for record in records if record.machine == machine and record.target == target]


def test_past_is_recorded_where_the_text_dates_it():
    _, _, records = records_of(kubectl.listing(kubectl.pod(kubectl.running(2))))
    (created,) = find(records, "object", "present")
    (started,) = find(records, "container", "running")
    assert (created.rule, started.rule) == ("IMPORT-RECORDED", "IMPORT-RECORDED")
    assert 2000 <= started.at_ms < 3000
    assert started.get("origin") == "status.containerStatuses[0].state.running"


def test_past_is_marked_where_it_was_computed():
    _, _, records = records_of(kubectl.listing(kubectl.pod(kubectl.running(2))))
    running = next(record for record in find(records, "phase", "Running"))
    assert (running.rule, running.get("inferred")) == ("IMPORT-FOLLOWS", True)


def test_past_shows_every_restart_when_only_their_number_is_known():
    _, _, records = records_of(kubectl.crashing(5))
    starts = find(records, "container", "running")
    assert [record.get("instance") for record in starts] == [0, 1, 2, 3, 4, 5]
    assert [record.rule for record in starts] == ["IMPORT-RECORDED", *["IMPORT-RESTARTS"] * 4, "IMPORT-RECORDED"]
    gaps = [later.at_ms - earlier.at_ms for earlier, later in zip(starts, starts[1:], strict=False)]
    assert gaps == sorted(gaps)


def test_status_of_a_dated_start_or_end_follows_from_it_and_any_other_is_as_sure_as_the_restarts():
    _, _, records = records_of(kubectl.crashing(2))
    told = [(record.machine, record.target, record.rule.removeprefix("IMPORT-")) for record in records if record.get("instance") == 2]
    assert told[:6] == [
        ("container", "running", "RECORDED"),
        ("container_status", "running", "FOLLOWS"),
        ("container", "exited", "RECORDED"),
        ("container_status", "terminated", "FOLLOWS"),
        ("container", "backoff", "FOLLOWS"),
        ("container_status", "waiting", "FOLLOWS"),
    ]
    assert {record.rule for record in find(records, "container_status", "terminated")[:-1]} == {"IMPORT-RESTARTS"}


def test_past_ends_exactly_as_the_text_shows_the_pod():
    imported, world, _ = records_of(kubectl.crashing(5))
    (row,) = world.tables.pods.values()
    (app,) = row.status.containers
    assert (app.state.reason, app.restart_count, app.last_state.exit_code) == ("CrashLoopBackOff", 5, 1)
    assert (row.uid, row.node, row.status.pod_ip, row.status.host_ip) == (kubectl.UID, "worker-1", "10.42.0.9", "192.0.2.7")


def test_past_shows_the_pod_at_a_moment_long_before_the_import():
    imported = import_text(kubectl.crashing(5))
    world = new_world(imported.header)
    advance(world, until_ms=1900)
    (row,) = world.tables.pods.values()
    assert (row.status.phase, row.status.containers[0].restart_count) == ("Running", 0)


def test_conditions_keep_the_transition_times_of_the_text():
    _, world, _ = records_of(kubectl.listing(kubectl.pod(kubectl.running(2))))
    (row,) = world.tables.pods.values()
    assert {item.type: item.transition_ms for item in row.status.conditions} == {
        "Initialized": 0, "Ready": 2000, "ContainersReady": 2000, "PodScheduled": 0,
    }  # fmt: skip


def test_an_event_is_drawn_as_often_as_it_counts():
    _, world, records = records_of(kubectl.crashing(5))
    backoffs = find(records, "k8s_event", "BackOff")
    assert [record.get("count") for record in backoffs] == list(range(1, 31))
    assert {record.get("inferred") for record in backoffs[1:-1]} == {True}
    assert backoffs[0].get("inferred") is backoffs[-1].get("inferred") is None


def test_a_long_past_is_cut_and_its_start_stands_at_the_beginning():
    text = kubectl.listing(kubectl.pod(kubectl.running(2)))
    imported, world, records = records_of(text, now_ms=1_772_366_400_000 + 30 * 3_600_000)
    (row,) = world.tables.pods.values()
    assert imported.resume_ms == 12 * 3_600_000
    assert row.created_ms == -18 * 3_600_000
    assert "cut" in [problem.code for problem in imported.problems]
    assert max(record.at_ms for record in records if record.rule.startswith("IMPORT-RECORDED")) == 0


NOT_READY = {"conditions": kubectl.conditions(ready="False", since=0)}
ALONE = {"restartPolicy": "Never"}
KINDS = {
    "Completed": kubectl.pod(kubectl.status("app", kubectl.terminated(2, 9, 0, "Completed")), phase="Succeeded", spec=ALONE),
    "Error": kubectl.pod(kubectl.status("app", kubectl.terminated(2, 9)), phase="Failed", spec=ALONE),
    "Evicted": kubectl.pod(phase="Failed", status={"reason": "Evicted", "message": "low on memory", "conditions": []}),
    "ImagePullBackOff": kubectl.pod(kubectl.status("app", kubectl.waiting("ImagePullBackOff")), phase="Pending", status=NOT_READY),
    "ContainerCreating": kubectl.pod(kubectl.status("app", kubectl.waiting("ContainerCreating")), phase="Pending", status=NOT_READY),
    "Terminating": kubectl.pod(
        kubectl.running(2), metadata={"deletionTimestamp": kubectl.at(60), "deletionGracePeriodSeconds": 30}, spec={"finalizers": []}
    ),
}  # fmt: skip


@pytest.mark.parametrize("word", KINDS)
def test_a_pod_of_any_kind_stands_at_the_import_as_kubectl_printed_it(word):
    _, _, records = records_of(kubectl.listing(KINDS[word]))
    assert words(records)[-1] == word


@pytest.mark.parametrize("word", KINDS)
def test_a_pod_of_any_kind_can_be_played_on(word):
    _, world, records = records_of(kubectl.listing(KINDS[word]), more_ms=900_000)
    assert not [record for record in records if record.machine == "note" and record.target == "bad-behaviour"]
    assert world.now_ms > 900_000


def test_the_wait_before_an_instance_doubles_up_to_five_minutes():
    assert [wait_before(n) // 1000 for n in range(9)] == [0, 0, 10, 20, 40, 80, 160, 300, 300]


def test_a_life_that_runs_has_no_length():
    assert Life(n=0, start_ms=5).length_ms == 0


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        ({}, (5, 9)),
        ({"start_rule": RESTARTS}, (5, 9)),
        ({"end_rule": STATE}, (5, None)),
        ({"start_rule": RESTARTS, "end_rule": STATE}, (None, None)),
        ({"start_rule": STATE}, (None, 9)),
        ({"began": False}, (None, 9)),
    ],
)
def test_status_says_of_an_instance_only_what_somebody_saw(rules, shown):
    life = Life(n=0, start_ms=5, end_ms=9, **rules)
    assert (life.shown_start_ms, life.shown_end_ms) == shown


def test_container_waits_from_the_moment_its_pod_is_accepted():
    _, _, records = records_of(kubectl.listing(kubectl.pod(kubectl.running(20))))
    waits = find(records, "container_status", "waiting")
    assert [(record.at_ms // 1000, record.get("reason")) for record in waits] == [(0, "ContainerCreating")]


def test_events_of_a_start_come_with_the_starts_they_count():
    _, _, records = records_of(kubectl.crashing(5))
    starts, told = find(records, "container", "running"), find(records, "k8s_event", "Started")
    assert [record.get("count") for record in told] == [1, 2, 3, 4, 5, 6]
    assert [record.at_ms // 1000 for record in told] == [record.at_ms // 1000 for record in starts]
    assert all(event.seq > start.seq for event, start in zip(told, starts, strict=True))


@pytest.mark.parametrize(("kind", "failures"), [("liveness", 2), ("readiness", 0)])
def test_probe_goes_on_counting_the_failures_that_did_not_change_its_result(kind, failures):
    spec = {"containers": [kubectl.container(**{f"{kind}Probe": {"tcpSocket": {"port": 80}, "periodSeconds": 10}})]}
    unhealthy = kubectl.event("Unhealthy", f"{kind.capitalize()} probe failed: refused", 70, last=80, count=2)
    imported = import_text(kubectl.listing(kubectl.pod(kubectl.running(2), spec=spec), unhealthy), now_ms=1_772_366_400_000 + 85_000)
    (pod,) = imported.header.past.pods
    assert [(probe.kind, probe.failures) for probe in pod.probes] == [(kind, failures)]


def test_startup_probe_that_succeeded_counts_no_failures():
    spec = {"containers": [kubectl.container(startupProbe={"tcpSocket": {"port": 80}, "periodSeconds": 10})]}
    unhealthy = kubectl.event("Unhealthy", "Startup probe failed: refused", 70, last=80, count=2)
    imported = import_text(kubectl.listing(kubectl.pod(kubectl.running(2), spec=spec), unhealthy), now_ms=1_772_366_400_000 + 85_000)
    assert [(probe.result, probe.failures) for probe in imported.header.past.pods[0].probes] == [("Success", 0)]


def test_what_happened_again_and_again_before_the_drawn_past_is_told_once():
    message = kubectl.event("BackOff", "Back-off restarting failed container", 4, last=640, count=30)
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=500, last=kubectl.terminated(600, 602))
    late = 1_772_366_400_000 + 40 * 3_600_000
    _, _, records = records_of(kubectl.listing(kubectl.pod(app), message), now_ms=late)
    assert [record.get("count") for record in find(records, "k8s_event", "BackOff")] == [1, 30]
    assert len(find(records, "container", "running")) <= 2


def test_a_container_with_very_many_restarts_shows_the_newest():
    _, _, records = records_of(kubectl.crashing(5000))
    starts = [record.get("instance") for record in find(records, "container", "running")]
    assert starts == list(range(4801, 5001))


def test_the_first_start_is_dated_when_the_filter_kept_later_events_back():
    app = kubectl.running(600, restarts=4, last=kubectl.terminated(450, 590))
    _, _, records = records_of(kubectl.listing(kubectl.pod(app), kubectl.event("Created", "Created container app", 3, last=300, count=3)))
    first = find(records, "container", "running")[0]
    assert (first.get("instance"), first.rule, first.at_ms // 1000) == (0, "IMPORT-RECORDED", 3)


def test_a_count_of_millions_costs_no_more_than_what_is_drawn():
    _, _, records = records_of(kubectl.crashing(9_999_999))
    starts = [record.get("instance") for record in find(records, "container", "running")]
    assert starts == list(range(9_999_800, 10_000_000))


def test_a_container_that_was_lost_ran_from_the_beginning_of_its_pod():
    lost = {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": None, "finishedAt": None}}
    held = kubectl.conditions(ready="False", since=500)
    pod = kubectl.pod(kubectl.status("app", lost), phase="Failed", status={"conditions": held, "reason": "Evicted"})
    _, _, records = records_of(kubectl.listing(pod))
    assert find(records, "container", "running")[0].at_ms < 5000
    assert words(records)[-1] == "ContainerStatusUnknown"


def test_container_that_never_started_does_not_move_the_past_to_1970():
    last = kubectl.terminated(40, 40, 128, "StartError")
    last["terminated"]["startedAt"] = "1970-01-01T00:00:00Z"
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=3, last=last)
    imported, world, _ = records_of(kubectl.listing(kubectl.pod(app)))
    (row,) = world.tables.pods.values()
    assert imported.resume_ms < 120_000
    assert row.status.containers[0].last_state.started_ms is None


def image_event(reason, message, first_ms, last_ms, count=1):
    return Event(
        type="Warning", reason=reason, message=message, component="kubelet", field_path="", count=count, first_ms=first_ms,
        last_ms=last_ms, exact=False, path="events[0]",
    )  # fmt: skip


@pytest.mark.parametrize(("told_ms", "is_held"), [(12_999, False), (13_000, True), (60_000, True)])
def test_pull_is_held_back_as_far_as_an_event_of_that_second_tells(told_ms, is_held):
    events = (
        image_event("Failed", 'Failed to pull image "x": not found', 0, 0),
        image_event("BackOff", 'Back-off pulling image "x"', 0, told_ms),
    )
    place = LivedContainer(name="app", group="app", position=0, listed=0, spec={"image": "x"}, status={}, path="p", events=events)
    reasons = [reason for reason, _, _, _ in problems(place, {"reason": "ImagePullBackOff"})]
    assert reasons == ["ErrImagePull", *(["ImagePullBackOff"] if is_held else [])]


@pytest.mark.parametrize(("containers", "drawn"), [(0, 200), (30, 200), (31, 193), (60, 100), (3000, 2), (9000, 2)])
def test_of_many_containers_fewer_instances_are_drawn_but_the_newest_two(containers, drawn):
    assert lives_max(containers) == drawn


@pytest.mark.parametrize(
    ("killed_ms", "now_ms", "stop_ms"),
    [
        ((), 99_000, 60_000),
        ((58_999,), 99_000, 60_000),
        ((59_000,), 99_000, 59_000),
        ((65_000, 62_000), 99_000, 62_000),
        ((20_000, 62_000), 99_000, 62_000),
        ((), 60_999, None),
        ((), 61_000, 60_000),
    ],
)
def test_containers_of_a_deleted_pod_were_stopped_when_an_event_since_then_says_so(killed_ms, now_ms, stop_ms):
    events = [SimpleNamespace(reason="Killing", last_ms=at_ms) for at_ms in killed_ms]
    pod = SimpleNamespace(events=[SimpleNamespace(reason="Pulled", last_ms=61_000), *events])
    assert history._stop_ms(SimpleNamespace(deleted_ms=60_000, now_ms=now_ms, pod=pod)) == stop_ms
