"""The inspector's view of a pod: the API's view, the node's reality next to it, what is due and which acts are possible."""

from typing import Any

import msgspec
from msgspec.structs import replace

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.pod import pod_view
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"
DEAF = "trap '' TERM; while true; do sleep 1; done"
CRASH = "sleep 1; exit 3"
LIVENESS = {"exec": {"command": ["test", "-f", "/ok"]}, "periodSeconds": 5}


def world_at(seconds: float, *commands: tuple[float, AnyCommand], script: str = "sleep 600", **more: Any) -> World:
    spec = {key: more.pop(key) for key in ("restartPolicy", "volumes", "terminationGracePeriodSeconds") if key in more}
    versions = {key: more.pop(key) for key in ("kubernetes", "cluster") if key in more}
    return run(header(pod(container(script, **more), **spec), **versions), seconds, *commands)[0]


def view_of(world: World, *, now_ms: int | None = None) -> PodView:
    view = pod_view(world, KEY, now_ms=now_ms)
    assert view is not None
    return view


def view_at(seconds: float, *commands: tuple[float, AnyCommand], **more: Any) -> PodView:
    return view_of(world_at(seconds, *commands, **more))


def card_at(seconds: float, *commands: tuple[float, AnyCommand], **more: Any) -> ContainerView:
    return view_at(seconds, *commands, **more).containers[0]


def due(view: PodView, name: str) -> list[int]:
    return [item.at_ms for item in view.next if item.name == name]


def test_view_is_none_when_the_pod_never_was() -> None:
    assert pod_view(world_at(1), "default/other") is None


def test_running_pod_shows_word_phase_and_rules() -> None:
    view = view_at(5)
    assert (view.status_word, view.tone, view.ready, view.phase) == ("Running", "ready", "1/1", "Running")
    assert (view.status_rule, view.phase_rule) == ("PRINT-PHASE", "PHASE-RUNNING")


def test_gated_pod_waits_rather_than_fails() -> None:
    world = run(header(pod(container("sleep 600"), schedulingGates=[{"name": "example.com/hold"}])), 1)[0]
    assert (view_of(world).status_word, view_of(world).tone) == ("SchedulingGated", "waiting")


def test_new_pod_has_no_kubelet_rule_for_its_phase() -> None:
    assert view_at(0).phase_rule == "POD-CREATED"


def test_age_follows_the_playhead_when_nothing_happens() -> None:
    assert view_of(world_at(5), now_ms=65_000).age == "65s"


def test_conditions_carry_their_subject_and_moment() -> None:
    ready = next(item for item in view_at(5).conditions if item.type == "Ready")
    assert (ready.subject, ready.status, ready.since_ms) == ("condition/default/p/Ready", "True", 500)


def test_api_lags_behind_the_node_when_the_process_has_just_started() -> None:
    card = card_at(0.45)
    assert (card.state, card.reason, card.node_state, card.node_started_ms) == ("waiting", "ContainerCreating", "running", 427)


def test_container_is_creating_while_the_runtime_starts_it() -> None:
    assert card_at(0.4).node_state == "creating"


def test_container_is_pulling_while_its_image_comes() -> None:
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),), images=(ImageSpec(name="big", pull_ms=5000),))
    view = view_at(3, image="big", cluster=cluster)
    assert (view.containers[0].node_state, due(view, "pull_end")) == ("pulling", [5385])


def test_crash_loop_shows_its_window() -> None:
    view = view_at(5, script=CRASH)
    card = view.containers[0]
    assert (card.state, card.reason, card.node_state, card.node_window_ms) == ("waiting", "CrashLoopBackOff", "backoff", 10_000)
    assert card.node_until_ms == card.node_finished_ms + 10_000
    assert due(view, "backoff_end") == [card.node_until_ms]


def test_window_is_closed_when_its_time_is_over() -> None:
    world = world_at(5, script=CRASH)
    assert view_of(world, now_ms=13_000).containers[0].node_state == "exited"


def test_image_back_off_shows_its_window() -> None:
    view = view_at(6, image="missing:1")
    card = view.containers[0]
    assert (card.reason, card.node_state, card.node_reason) == ("ErrImagePull", "backoff", "ImagePullBackOff")
    assert due(view, "image_backoff_end") == [card.node_until_ms]


def test_container_that_is_not_restarted_has_no_window() -> None:
    card = card_at(5, script=CRASH, restartPolicy="Never")
    assert (card.node_state, card.node_exit_code, card.node_until_ms, card.tone) == ("exited", 3, None, "failed")


def test_last_state_is_the_end_before() -> None:
    card = card_at(5, script=CRASH)
    assert card.last is not None and (card.last.reason, card.last.exit_code) == ("Error", 3)


def test_stopping_container_shows_stop_and_deadline() -> None:
    view = view_at(10, (5, DeletePod(target=KEY)), script=DEAF)
    card = view.containers[0]
    assert card.node_state == "stopping" and card.stop is not None and card.stop.state == "term"
    assert due(view, "stop_deadline") == [card.stop.deadline_ms] == [35_010]


def test_deletion_shows_request_deadline_and_grace() -> None:
    view = view_at(10, (5, DeletePod(target=KEY, grace_s=20)), script=DEAF)
    assert view.deletion is not None
    assert (view.deletion.requested_ms, view.deletion.deadline_ms, view.deletion.grace_s) == (5_000, 25_000, 20)
    assert due(view, "grace_deadline") == [25_000]


def test_probe_shows_run_and_threshold_and_next_tick() -> None:
    world = world_at(11, livenessProbe=LIVENESS)
    probe = view_of(world).containers[0].probes[0]
    assert (probe.kind, probe.last, probe.run, probe.threshold) == ("liveness", "failure", 2, 3)
    assert probe.next_ms == world.tables.probes[(KEY, "app", "liveness")].first_ms + 15_000


def test_probe_is_suppressed_until_the_startup_probe_has_succeeded() -> None:
    startup, liveness = card_at(9, livenessProbe=LIVENESS, startupProbe=LIVENESS).probes
    assert (startup.kind, liveness.kind, liveness.result) == ("startup", "liveness", "suppressed")


def test_probe_is_held_after_it_has_had_the_container_killed() -> None:
    card = card_at(20, script=DEAF, livenessProbe=LIVENESS)
    assert (card.probes[0].result, card.node_state) == ("held", "stopping")


def test_probe_shows_what_the_user_has_decided() -> None:
    decided = SetProbe(target=KEY, container="app", probe="liveness", outcome="timeout", attempts=4)
    probe = card_at(5, (5, decided), livenessProbe=LIVENESS).probes[0]
    assert (probe.override, probe.override_left) == ("timeout", 4)


def test_probe_fields_are_written_as_describe_does() -> None:
    probe = card_at(1, livenessProbe=LIVENESS).probes[0]
    assert probe.handler_text == "exec [test -f /ok]"
    assert probe.fields_text == "delay=0s timeout=1s period=5s #success=1 #failure=3"


def test_process_tree_and_log_are_shown() -> None:
    card = card_at(5, script="echo hello; sleep 600")
    assert [(row.text, row.instance) for row in card.log] == [("hello", 0)]
    assert card.processes[0].pid == 1 and card.processes[-1].command == "sleep 600"


def test_hung_process_is_marked() -> None:
    assert card_at(6, (5, HangContainer(target=KEY, container="app"))).is_hung


def test_volumes_are_listed_with_their_kind() -> None:
    volumes = view_at(1, volumes=[{"name": "e"}, {"name": "c", "configMap": {"name": "cfg"}}]).volumes
    assert [(volume.kind, volume.detail) for volume in volumes] == [("emptyDir", ""), ("configMap", "cfg")]


def test_ghost_lives_on_when_the_pod_was_force_deleted() -> None:
    view = view_at(6, (5, DeletePod(target=KEY, force=True)), script=DEAF)
    assert (view.is_present, view.has_ghost, view.status_word, view.tone) == (False, True, "", "absent")
    assert view.containers[0].is_ghost and view.containers[0].processes


def test_gone_pod_can_still_be_viewed() -> None:
    view = view_at(60, (5, DeletePod(target=KEY)))
    assert (view.is_present, view.has_ghost, view.containers[0].node_state, view.next) == (False, False, "exited", ())


def test_next_things_are_sorted_and_ahead() -> None:
    view = view_at(7, livenessProbe=LIVENESS, readinessProbe=LIVENESS)
    moments = [item.at_ms for item in view.next]
    assert moments == sorted(moments) and moments[0] > 7_000


def test_view_changes_nothing() -> None:
    world = world_at(12, script=CRASH, livenessProbe=LIVENESS)
    before = world.digest()
    view_of(world)
    assert world.digest() == before == world_at(12, script=CRASH, livenessProbe=LIVENESS).digest()


def test_view_is_ready_for_json() -> None:
    view = view_at(12, script=CRASH, livenessProbe=LIVENESS)
    assert msgspec.json.decode(msgspec.json.encode(view), type=PodView) == view


def test_container_shows_what_was_not_understood_and_not_what_a_node_does_too() -> None:
    world = world_at(5)
    (instance,) = world.tables.instances["default/p"]
    noted = ("oom-kill: The OOM killer ended x (pid 7).", "command-not-understood: x cannot be worked out.", "busy: y: z")
    world.tables.instances["default/p"] = (replace(instance, process=replace(instance.process, noted=noted)),)
    assert view_of(world).containers[0].notes == ("x cannot be worked out.", "y: z")
