"""The diagnosis of a pasted pod: the most likely cause, its lines, and the next step."""

import json
import time

import pytest

from simulator.imports.read import LIMITS
from simulator.remedies.from_yaml import clues_of_yaml
from simulator.remedies.trouble import TROUBLES_MAX, examined
from simulator.web.gallery.imports import example

DESCRIBED = """\
Name:             web-7c5ddbdf54-x2kqp
Namespace:        prod
Node:             node-2/10.0.0.2
Status:           Running
Controlled By:  ReplicaSet/web-7c5ddbdf54
Containers:
  app:
    Image:          registry.example/web:1.2
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
    Ready:          False
Conditions:
  Type              Status
  Ready             False
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  5m                 default-scheduler  Successfully assigned prod/web to node-2
  Warning  Unhealthy  2m (x9 over 4m)    kubelet            Liveness probe failed: HTTP probe failed with statuscode: 500
  Warning  BackOff    10s (x12 over 3m)  kubelet            Back-off restarting failed container app in pod web
"""
PODS = """\
NAMESPACE   NAME    READY   STATUS                       RESTARTS      AGE
default     web     1/1     Running                      0             5m
default     job     0/1     Completed                    0             5m
default     bad     0/1     CreateContainerConfigError   0             5m
shop        loop    0/1     Init:CrashLoopBackOff        4 (20s ago)   5m
shop        half    1/2     Running                      0             5m
"""
EVENTS = """\
LAST SEEN         TYPE      REASON             OBJECT      MESSAGE
52s               Warning   FailedScheduling   pod/big     0/3 nodes are available: 3 Insufficient cpu.
2m (x3 over 4m)   Warning   FailedMount        pod/other   MountVolume.SetUp failed for volume "cfg" : configmap "settings" not found
3m                Normal    Scheduled          pod/fine    Successfully assigned default/fine to node-1
"""


def pod(status, *, spec=None, metadata=None):
    named = {"name": "web", "namespace": "default", "creationTimestamp": "2026-05-01T10:00:00Z"}
    whole = {"containers": [{"name": "app", "image": "nginx"}], **(spec or {})}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": named | (metadata or {}), "spec": whole, "status": status}, indent=1)


def waiting(reason, message="", last=None):
    state = {"name": "app", "state": {"waiting": {"reason": reason, "message": message}}}
    return {"phase": "Pending", "containerStatuses": [state | ({"lastState": {"terminated": last}} if last else {})]}


def only(text):
    (trouble,) = examined(text).troubles
    return trouble


def test_example_ran_out_of_memory():
    trouble = only(example())
    assert (trouble.container, trouble.word, trouble.remedy.word) == ("shop", "OOMKilled", "OOMKilled")
    lines = example().splitlines()
    assert [quote.text for quote in trouble.quotes] == [lines[quote.line - 1].strip() for quote in trouble.quotes]
    assert "reason: OOMKilled" in [quote.text for quote in trouble.quotes]
    assert trouble.step.line == "kubectl set resources deployment/shop -c shop --limits=memory=<amount> -n prod"


def test_describe_output_shows_that_the_probe_is_to_blame():
    trouble = only(DESCRIBED)
    assert (trouble.namespace, trouble.container, trouble.word, trouble.is_shown) == ("prod", "app", "CrashLoopBackOff", True)
    assert "probe fails" in trouble.cause.text
    assert [quote.line for quote in trouble.quotes] == [10, 22]
    assert trouble.step.line == "kubectl edit deployment/web -n prod"
    assert trouble.look.line == "kubectl logs web-7c5ddbdf54-x2kqp -c app --previous -n prod"


def test_windows_line_ends_change_nothing():
    assert only(DESCRIBED.replace("\n", "\r\n")) == only(DESCRIBED)


def test_table_of_pods_says_which_are_healthy():
    found = examined(PODS)
    assert [(trouble.pod, trouble.word) for trouble in found.troubles] == [
        ("bad", "CreateContainerConfigError"),
        ("loop", "Init:CrashLoopBackOff"),
        ("half", "NotReady"),
    ]
    assert found.well == ("default/web", "default/job")
    assert [trouble.is_shown for trouble in found.troubles] == [False, False, False]


def test_table_of_events_gives_each_pod_its_cause():
    found = examined(EVENTS)
    assert [(trouble.pod, trouble.word, trouble.is_shown) for trouble in found.troubles] == [
        ("big", "FailedScheduling", True),
        ("other", "FailedMount", True),
    ]
    assert found.well == ("default/fine",)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("failed to resolve reference: not found", "does not exist"),
        ("401 Unauthorized", "credentials"),
        ("toomanyrequests: You have reached your pull rate limit", "limits"),
        ("dial tcp: lookup registry on 10.0.0.10:53: no such host", "cannot reach"),
    ],
)
def test_message_of_a_pull_decides_its_cause(message, cause):
    trouble = only(pod(waiting("ImagePullBackOff", message)))
    assert trouble.is_shown
    assert cause in trouble.cause.text


def test_exit_code_decides_the_cause_of_a_crash_loop():
    crashed = {"reason": "Error", "exitCode": 127}
    assert "cannot be executed" in only(pod(waiting("CrashLoopBackOff", "back-off 10s", crashed))).cause.text


def test_memory_comes_before_the_crash_loop_that_it_makes():
    trouble = only(pod(waiting("CrashLoopBackOff", "back-off 10s", {"reason": "OOMKilled", "exitCode": 137})))
    assert trouble.word == "OOMKilled"


def test_crash_without_a_sign_is_called_usual_not_shown():
    trouble = only(pod(waiting("CrashLoopBackOff", "back-off 10s", {"reason": "Error", "exitCode": 1})))
    assert not trouble.is_shown
    assert "fails at start" in trouble.cause.text


def test_name_in_a_message_fills_the_command():
    text = pod(waiting("CreateContainerConfigError", "couldn't find key COLOR in ConfigMap default/settings"))
    assert only(text).step.line == "kubectl edit configmap <configmap>"
    trouble = only(pod(waiting("CreateContainerConfigError", 'couldn\'t find key COLOR, configmap "settings"')))
    assert trouble.step.line == "kubectl edit configmap settings"


def test_owner_takes_the_place_of_the_deployment():
    owner = {"ownerReferences": [{"kind": "StatefulSet", "name": "db"}]}
    trouble = only(pod(waiting("RunContainerError", "exec: executable file not found in $PATH"), metadata=owner))
    assert trouble.step.line == "kubectl edit statefulset/db"


def test_pod_that_is_rejected_says_so_in_its_status():
    trouble = only(pod({"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: Node didn't have enough resource: cpu"}))
    assert (trouble.kind, trouble.word) == ("pod", "OutOfcpu")


def test_finalizer_explains_a_pod_that_does_not_go():
    marked = {"deletionTimestamp": "2026-05-01T10:00:30Z", "finalizers": ["example.com/wait"]}
    trouble = only(pod({"phase": "Running"}, metadata=marked))
    assert (trouble.word, trouble.is_shown) == ("Terminating", True)
    assert "finalizer" in trouble.cause.text
    assert len(trouble.quotes) == 2


def test_events_of_a_pod_that_is_ready_are_over():
    ready = pod({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
    event = json.dumps({"kind": "Event", "type": "Warning", "reason": "Unhealthy", "message": "Readiness probe failed",
                        "involvedObject": {"kind": "Pod", "name": "web", "namespace": "default"}})  # fmt: skip
    found = examined(f"{ready}\n---\n{event}")
    assert (found.troubles, found.well) == ((), ("default/web",))


@pytest.mark.parametrize(
    "text", ["", "hello", "a: [", "kind: Pod", "kind: Pod\nmetadata: {name: x}\nstatus: 5", "Name:  x", "\0", "kind: Event"]
)
def test_text_without_a_pod_in_trouble_gives_none(text):
    assert examined(text).troubles == ()


@pytest.mark.parametrize(
    "status",
    [
        {"containerStatuses": 5}, {"containerStatuses": [5, {"state": []}]}, {"conditions": [{"reason": [], "status": "False"}]},
        {"reason": {"a": 1}}, {"containerStatuses": [{"name": 5, "state": {"waiting": {"reason": 7, "message": []}}}]},
    ],
)  # fmt: skip
def test_strange_values_do_not_matter(status):
    assert len(examined(pod(status)).troubles) <= 1


def test_many_pods_give_a_bounded_answer():
    rows = "\n".join(f"p{n}   0/1   CrashLoopBackOff   3   5m" for n in range(500))
    assert len(examined(f"NAME  READY  STATUS  RESTARTS  AGE\n{rows}\n").troubles) == TROUBLES_MAX


@pytest.mark.parametrize(("size", "is_read"), [(LIMITS.bytes_max, True), (LIMITS.bytes_max + 1, False)])
def test_text_beyond_the_limit_is_not_read(size, is_read):
    assert bool(examined(PODS.ljust(size)).troubles) == is_read


@pytest.mark.parametrize("line", ["A: " + " " * 500_000 + "x", " " * 500_000 + "x", "a" * 500_000, "1/1 " * 100_000])
def test_long_line_costs_no_time(line):
    begun = time.process_time()
    assert examined(f"Name:  web\nNamespace:  default\n{line}\n").troubles == ()
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(("more", "said", "lines"), [("", "", 1), (", finalizers: [example.com/a]", "metadata.finalizers", 2)])
def test_pod_that_is_being_deleted_says_whether_finalizers_hold_it(more: str, said: str, lines: int) -> None:
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web, deletionTimestamp: '2026-01-01T00:00:00Z'{more}}}\nstatus: {{phase: Running}}\n"
    )
    (clue,) = clues_of_yaml(text).found
    assert (clue.word, clue.said, len(clue.lines)) == ("Terminating", said, lines)


def ended(reason, *, is_ready, exit_code=1):
    """A pod that runs after an instance that ended."""
    last = {"terminated": {"reason": reason, "exitCode": exit_code}}
    state = {"name": "app", "ready": is_ready, "restartCount": 1, "state": {"running": {}}, "lastState": last}
    conditions = [{"type": "Ready", "status": "True" if is_ready else "False"}]
    return pod({"phase": "Running", "conditions": conditions, "containerStatuses": [state]})


@pytest.mark.parametrize(
    ("reason", "is_ready", "words"), [("Error", True, []), ("Error", False, ["Error"]), ("OOMKilled", True, ["OOMKilled"])]
)
def test_end_that_was_mended_by_a_restart_is_over_unless_memory_ran_out(reason, is_ready, words):
    assert [trouble.word for trouble in examined(ended(reason, is_ready=is_ready)).troubles] == words


@pytest.mark.parametrize(("is_placed", "words"), [(True, []), (False, ["FailedScheduling"])])
def test_pod_that_has_a_node_was_scheduled_after_all(is_placed, words):
    spec = {"nodeName": "node1"} if is_placed else {}
    event = json.dumps({"kind": "Event", "type": "Warning", "reason": "FailedScheduling", "message": "0/3 nodes are available",
                        "involvedObject": {"kind": "Pod", "name": "web", "namespace": "default"}})  # fmt: skip
    troubles = examined(f"{pod({'phase': 'Pending'}, spec=spec)}\n---\n{event}").troubles
    assert [trouble.word for trouble in troubles if trouble.kind == "event"] == words


@pytest.mark.parametrize(("type_", "count"), [("Warning", 1), ("Normal", 0)])
def test_only_warnings_are_events_of_trouble(type_, count):
    event = json.dumps({"kind": "Event", "type": type_, "reason": "FailedMount", "message": "MountVolume.SetUp failed",
                        "involvedObject": {"kind": "Pod", "name": "web", "namespace": "default"}})  # fmt: skip
    assert len(examined(event).troubles) == count


@pytest.mark.parametrize(
    ("state", "count"),
    [
        ({"terminated": {"reason": "Error", "exitCode": 0}}, 0),
        ({"terminated": {"reason": "Error", "exitCode": 3}}, 1),
        ({"waiting": {"reason": "CrashLoopBackOff", "message": "ended with exitCode=0"}}, 1),
    ],
)
def test_container_that_ended_well_is_no_trouble(state, count):
    status = {"phase": "Running", "containerStatuses": [{"name": "app", "state": state}]}
    assert len(examined(pod(status)).troubles) == count
