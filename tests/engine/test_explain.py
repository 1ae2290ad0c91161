"""Why something happened: chains of causes, sentences, and the narrator's line."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.containers.image import SetImage
from simulator.engine.acts.containers.oom import OomContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.containers.signal import SignalContainer
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.rule_text import RuleText
from simulator.engine.projection.headlines import seconds_text
from simulator.engine.projection.subjects import names, pod_key
from simulator.engine.rules.explain import ExplainedStep, headline, narrate, why
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"
DEAF = "trap '' TERM; while true; do sleep 1; done"
LIVENESS = {"exec": {"command": ["cat", "/ok"]}, "periodSeconds": 5}


def story(seconds: float, *commands: tuple[float, AnyCommand], script: str = DEAF, **more: Any) -> list[Record]:
    return run(header(pod(container(script, **more))), seconds, *commands)[1]


def chain(records: list[Record], *, machine: str, target: str) -> list[str]:
    seq = next(record.seq for record in records if record.machine == machine and record.target == target)
    return [step.what for step in why(records, seq)]


def record(seq: int = 1, *, machine: str = "phase", target: str = "x", **more: Any) -> Record:
    fields = {"kind": "transition", "subject": "pod/default/p", "source": "", "trigger": "", "cause": 0, "rule": "", "data": ()}
    return Record(seq=seq, at_ms=0, machine=machine, target=target, **(fields | more))


def test_chain_leads_from_the_removal_back_to_the_users_delete() -> None:
    assert chain(story(60, (5, DeletePod(target=KEY, grace_s=10))), machine="object", target="gone") == [
        "The API server removed pod p",
        "No trace of pod p is left on its node",
        "The kubelet has stopped every container of pod p",
        "The process of app exited with code 137",
        "The runtime sent KILL to app",
        "The kubelet sent TERM to app; 10 s are left",
        "The kubelet began to stop app with a grace period of 10 s",
        "The kubelet began to terminate pod p with a grace period of 10 s",
        "The API server marked pod p for deletion with a grace period of 10 s",
        "You deleted pod p",
    ]


def test_chain_leads_from_a_restart_back_to_the_failed_probe() -> None:
    found = chain(story(40, livenessProbe=LIVENESS, terminationGracePeriodSeconds=2), machine="container", target="stopping")
    assert found[:4] == [
        "The kubelet began to stop app with a grace period of 30 s",
        "The kubelet decided to kill app",
        "The liveness probe of app now reports failure",
        "The liveness probe of app failed (3 of 3)",
    ]


def test_chain_ends_at_the_beginning() -> None:
    records = story(5)
    assert why(records, len(records))[-1].what == "The API server stored pod p"


def test_step_carries_sentence_rule_source_and_documentation() -> None:
    records = story(10, (5, DeletePod(target=KEY)))
    step = next(step for step in why(records, len(records)) if step.rule_id == "WORKER-DELETION")
    assert step.text == "The kubelet saw the deletion: from now on it only stops containers, with a grace period of 30 s."
    assert (step.sentence.msgid.count("{grace_s}"), dict(step.sentence.values)) == (1, {"grace_s": 30})
    assert step.doc == "concepts/workloads/pods/pod-lifecycle/#pod-termination" and "pod_workers.go" in step.source


def test_act_of_a_user_is_marked() -> None:
    records = story(10, (5, DeletePod(target=KEY)))
    steps = why(records, len(records))
    assert [step.is_act for step in steps] == [False] * (len(steps) - 1) + [True]


def test_sentence_is_said_once_when_neighbours_follow_from_one_rule() -> None:
    records = story(40, livenessProbe=LIVENESS)
    seq = next(item.seq for item in records if item.machine == "probe" and item.target == "failure")
    first, second = why(records, seq)[:2]
    assert first.rule_id == second.rule_id and first.text != second.text
    assert second.text == "It responded: cat: can't open '/ok': No such file or directory"


def test_sentence_takes_from_the_cause_what_the_record_does_not_know() -> None:
    rule = RuleText("R", "Back-off {window}.", "")
    records = [record(1, data=(("window", "10s"),)), record(2, cause=1, target="y", rule="R")]
    assert why(records, 2, {"R": rule})[0].text == "Back-off 10s."


def test_sentence_shows_dots_when_a_value_is_missing_everywhere() -> None:
    assert why([record(rule="R")], 1, {"R": RuleText("R", "Back-off {window}.", "")})[0].text == "Back-off …."


def test_step_without_a_known_rule_still_says_what_happened() -> None:
    step = why([record(rule="UNKNOWN", target="Running")], 1, {})[0]
    assert (step.what, step.text, step.source, step.doc) == ("Phase of pod p: Running", "", "", "")


def test_chain_stops_when_causes_go_in_circles_or_forward() -> None:
    assert len(why([record(1, cause=2), record(2, cause=2)], 2)) == 1


def test_chain_is_limited() -> None:
    records = [record(seq, cause=seq - 1, target=str(seq)) for seq in range(1, 100)]
    assert len(why(records, 99)) == 40 and len(why(records, 99, limit=3)) == 3


def test_step_that_says_the_same_again_is_left_out() -> None:
    records = [record(seq, cause=seq - 1) for seq in range(1, 4)]
    assert [step.seq for step in why(records, 3)] == [3]


@pytest.mark.parametrize("kind", ["list", "mapping", "function"])
def test_records_may_come_from_a_list_a_mapping_or_a_function(kind: str) -> None:
    records = [record(1, target="a"), record(2, target="b", cause=1)]
    by_seq = {item.seq: item for item in records}
    source: Any = {"list": records, "mapping": by_seq, "function": by_seq.get}[kind]
    assert [step.seq for step in why(source, 2)] == [2, 1]


@pytest.mark.parametrize("seq", [0, -1, 9])
def test_chain_is_empty_when_the_record_is_unknown(seq: int) -> None:
    assert why([record()], seq) == ()


def test_every_record_of_a_life_has_a_headline_without_gaps() -> None:
    acts = (
        (2, SetProbe(target=KEY, container="app", probe="liveness", outcome="failure", attempts=1)),
        (3, ExitContainer(target=KEY, container="nobody", exit_code=1)),
        (4, SignalContainer(target=KEY, container="app", signal=9)),
        (20, HangContainer(target=KEY, container="app")),
        (21, SetImage(image="nginx", available=False)),
        (50, DeletePod(target=KEY)),
    )
    records = story(120, *acts, livenessProbe=LIVENESS, lifecycle={"preStop": {"exec": {"command": ["sleep", "1"]}}})
    assert [text for text in (headline(item).english for item in records) if "…" in text or "{" in text] == []


APP = "container/default/p/app"
READY = "condition/default/p/Ready"
PROBE = "probe/default/p/app/readiness"
HEADLINES: list[tuple[dict[str, Any], str]] = [
    ({"machine": "status_word", "target": ""}, "kubectl no longer shows pod p"),
    ({"machine": "status_word", "target": "Running", "source": "Pending"}, "kubectl shows pod p as Running (before: Pending)"),
    (
        {"machine": "container", "subject": APP, "target": "exited", "trigger": "oom_killed", "data": (("exit_code", 137),)},
        "The kernel killed app because of its memory: exit code 137",
    ),
    (
        {"machine": "container", "subject": APP, "target": "backoff", "data": (("window", "20s"), ("until_ms", 7200))},
        "The kubelet delays app: next start in 7.2 s (back-off 20s)",
    ),
    ({"machine": "condition", "subject": READY, "target": "False", "source": "True"}, "The kubelet set Ready=False on pod p"),
    ({"machine": "condition", "subject": READY, "target": ""}, "Condition Ready is gone from pod p"),
    (
        {"machine": "probe_attempt", "subject": PROBE, "target": "failure", "data": (("run", 5), ("threshold", 3))},
        "The readiness probe of app failed 5 times in a row (threshold 3)",
    ),
    ({"machine": "command", "target": "refused"}, "Your command was refused"),
    ({"machine": "unheard_of", "source": "a", "target": "b"}, "Something changed: p"),
    ({"machine": "stop", "subject": APP, "target": "term"}, "Something changed: p · app"),
    ({"machine": "command", "target": "accepted", "data": (("do", "unheard_of"),)}, "You entered a command"),
    ({"machine": "object", "target": "present", "trigger": "updated"}, "The API server stored a change to pod p"),
    ({"machine": "object", "subject": "node/node1", "target": "present"}, "Node node1 joined the cluster"),
    (
        {"machine": "api_object", "subject": "secret/default/s", "target": "present", "data": (("kind", "Secret"), ("name", "s"))},
        "The API server stored Secret s",
    ),
    (
        {
            "machine": "api_object",
            "subject": "secret/default/s",
            "target": "present",
            "trigger": "updated",
            "data": (("kind", "Secret"), ("name", "s")),
        },
        "The API server stored a change to Secret s",
    ),
    ({"machine": "pod_eviction", "target": "bypass"}, "The eviction API allows evicting pod p"),
]


@pytest.mark.parametrize(("fields", "expected"), HEADLINES)
def test_headline_names_the_actor_and_the_numbers(fields: dict[str, Any], expected: str) -> None:
    assert headline(record(**fields)).english == expected


TARGET: dict[str, Any] = {"target": KEY, "container": "app"}
ACTS: list[tuple[AnyCommand, str]] = [
    (DeletePod(target=KEY), "You deleted pod p"),
    (DeletePod(target=KEY, force=True), "You force deleted pod p"),
    (ExitContainer(**TARGET, exit_code=3), "You made app exit with code 3"),
    (SignalContainer(**TARGET, signal=9), "You sent signal 9 to app"),
    (OomContainer(**TARGET), "You ran app out of memory"),
    (HangContainer(**TARGET), "You hung app"),
    (HangContainer(**TARGET, hang=False), "You woke app"),
    (SetProbe(**TARGET, probe="liveness", outcome="timeout"), "You made the liveness probe of app time out"),
    (SetProbe(**TARGET, probe="liveness", outcome=None), "You healed the liveness probe of app"),
    (SetImage(image="nginx", available=True), "You made image nginx available"),
    (SetImage(image="nginx", available=False), "You made image nginx unavailable"),
    (ApplyManifest(documents=()), "You applied YAML"),
    (DeletePod(target="default/nobody"), "Your command was refused"),
]


@pytest.mark.parametrize(("command", "expected"), ACTS, ids=[text for _, text in ACTS])
def test_act_has_a_headline(command: AnyCommand, expected: str) -> None:
    records = story(5, (5, command), livenessProbe=LIVENESS)
    assert [headline(item).english for item in records if item.kind == "command"] == [expected]


def test_narrator_describes_acts_kills_and_ends_but_not_routine() -> None:
    records = story(60, (5, DeletePod(target=KEY, grace_s=5)))
    told = [text.english for text in (narrate(item) for item in records) if text is not None]
    assert told[told.index("You deleted pod p") :] == [
        "You deleted pod p",
        "The API server marked pod p for deletion with a grace period of 5 s",
        "kubectl shows pod p as Terminating (before: Running)",
        "The kubelet began to stop app with a grace period of 5 s",
        "The kubelet sent TERM to app; 5 s are left",
        "The runtime sent KILL to app",
        "The process of app exited with code 137",
        "Phase of pod p: Running → Failed",
        "The kubelet set Ready=False on pod p",
        "kubectl shows pod p as Error (before: Terminating)",
        "The API server removed pod p",
    ]


def narrated(**fields: Any) -> bool:
    return narrate(record(**fields)) is not None


def test_narrator_describes_failed_attempts_up_to_the_threshold() -> None:
    attempt = {"machine": "probe_attempt", "subject": "probe/default/p/app/liveness"}
    assert narrated(**attempt, target="failure", data=(("run", 3), ("threshold", 3)))
    assert not narrated(**attempt, target="failure", data=(("run", 4), ("threshold", 3)))
    assert not narrated(**attempt, target="success", data=(("run", 1), ("threshold", 1)))


def test_narrator_describes_ready_but_no_helper_condition() -> None:
    assert narrated(machine="condition", subject="condition/default/p/Ready", source="True", target="False")
    assert not narrated(machine="condition", subject="condition/default/p/Initialized", source="False", target="True")
    assert not narrated(machine="condition", subject="condition/default/p/Ready", source="", target="False")


def test_narrator_describes_a_warning_event_only_the_first_time() -> None:
    data = (("type", "Warning"), ("count", 1), ("message", "m"), ("component", "kubelet"))
    assert narrated(machine="k8s_event", target="FailedMount", data=data)
    assert not narrated(machine="k8s_event", target="FailedMount", data=(data[0], ("count", 2)))
    assert not narrated(machine="k8s_event", target="Unhealthy", data=data)


@pytest.mark.parametrize(("span", "text"), [(0, "0"), (30_000, "30"), (7_180, "7.2"), (49, "0"), (60_050, "60.1")])
def test_seconds_have_one_decimal_where_there_is_a_fraction(span: int, text: str) -> None:
    assert seconds_text(span) == text


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        ("pod/default/p", {"pod": "p"}),
        ("pod/kube-system/p#2", {"pod": "kube-system/p#2"}),
        ("container/default/p/app", {"pod": "p", "container": "app"}),
        ("probe/default/p/app/liveness", {"pod": "p", "container": "app", "probe": "liveness"}),
        ("condition/default/p/Ready", {"pod": "p", "type": "Ready"}),
        ("node/node1", {"node": "node1"}),
        ("image/registry.k8s.io/e2e/x:1", {"image": "registry.k8s.io/e2e/x:1"}),
        ("run", {}),
        ("pod/odd", {}),
    ],
)
def test_subject_gives_its_names(subject: str, found: dict[str, str]) -> None:
    assert names(subject) == found


def test_subject_of_a_pod_gives_its_key() -> None:
    assert (pod_key("probe/default/p#2/app/liveness"), pod_key("node/node1")) == ("default/p#2", "")


def test_step_is_a_value() -> None:
    assert isinstance(why([record()], 1)[0], ExplainedStep)
