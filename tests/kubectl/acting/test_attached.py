"""``kubectl run -i`` and ``--attach``: the pod is made, waited for, shown and with --rm deleted, as real kubectls printed it."""

import pytest

from simulator.engine import advance, apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.units import Ms
from simulator.headless.session import Session
from simulator.kubectl.acting.attached import AttachedSoFar
from simulator.kubectl.acting.outcome import following
from simulator.kubectl.acting.verbs import action_of
from tests.engine.worlds import container, header, pod, run

PROMPT = "If you don't see a command prompt, try pressing enter.\n"
KEPT = (
    "All commands and output from this session will be recorded in container logs, "
    "including credentials and sensitive information passed through the command prompt.\n"
)
IMAGE = "--image=busybox:1.28"
NOWHERE = '--overrides=\'{"spec":{"nodeSelector":{"a":"b"}}}\''
LIMITED = '--overrides=\'{"spec":{"activeDeadlineSeconds":3}}\''
UNKNOWN = "error: pod default/r failed with unknown exit code\n"
NOT_FOUND = 'Error from server (NotFound): pods "" not found\n'
TIMED_OUT = "error: timed out waiting for the condition\n"


def session(kubernetes: str = "1.33") -> Session:
    return Session(*run(header(pod(container()), kubernetes=kubernetes), 10), now_ms=10_000)


@pytest.mark.parametrize(
    ("line", "said", "code"),
    [
        (
            f"run r {IMAGE} --restart=Never --rm -i -- sh -c 'echo hi; exit 4'",
            'hi\npod "r" deleted\npod default/r terminated (Error)\n',
            4,
        ),
        (f"run r {IMAGE} --restart=Never --rm -it -- echo hi", 'hi\npod "r" deleted\n', 0),
        (f"run r {IMAGE} --rm -i -- sh -c 'echo hi; sleep 3; echo ho'", f'{PROMPT}hi\nho\npod "r" deleted\n', 0),
        (f"run r {IMAGE} --rm -qi -- sh -c 'echo hi; sleep 3; exit 3'", "hi\n", 0),
        (f"run r {IMAGE} --restart=Never -qi -- sh -c 'sleep 2; exit 3'", "pod default/r terminated (Error)\n", 3),
        (
            f"run r {IMAGE} --restart=Never --attach --expose --port 80 --rm -- sh -c 'sleep 2; echo hi'",
            f'service/r created\n{PROMPT}hi\npod "r" deleted\nservice "r" deleted\n',
            0,
        ),
        (
            f"run r {IMAGE} --rm -it -- sh -c 'sleep 2; echo hi'",
            f"{PROMPT}hi\nSession ended, resume using 'kubectl attach r -c r -i -t' command when the pod is running\npod \"r\" deleted\n",
            0,
        ),
        (f"run r {IMAGE} -i --pod-running-timeout=3s --rm {NOWHERE}", f'pod "r" deleted\n{TIMED_OUT}', 1),
        (
            f"run r {IMAGE} -i --restart=Never --pod-running-timeout=3s -- sh -c 'sleep 5; echo hi'",  # its patience is for the beginning
            f"{PROMPT}hi\n",
            0,
        ),
        (
            f"run r {IMAGE} -i --restart=OnFailure --rm --pod-running-timeout=9s -- sh -c 'sleep 4; exit 3'",
            f'{PROMPT}pod "r" deleted\n{TIMED_OUT}',
            1,
        ),
        (f"run r {IMAGE} -i --rm --restart=Never --leave-stdin-open -- sh -c 'sleep 3; exit 3'", f'{PROMPT}pod "r" deleted\n', 0),
        (
            f"run r {IMAGE} -i --restart=Never -- sh -c 'echo -n bad > /dev/termination-log; exit 3'",
            "pod default/r terminated (Error)\nbad\n",
            3,
        ),
        (
            f"run r {IMAGE} -i --restart=Never {LIMITED} -- sh -c \"trap 'exit 0' TERM; while true; do sleep 1; done\"",
            f"{PROMPT}{UNKNOWN}",
            1,
        ),
        (f"run r --image=nope:1 -i --restart=Never {LIMITED}", UNKNOWN, 1),
        (f"run r {IMAGE} -i --attach=false", "pod/r created\n", 0),
        (
            f"run r -t {IMAGE}",
            "error: -i/--stdin is required for containers with -t/--tty=true\nSee 'kubectl run -h' for help and examples\n",
            1,
        ),
        (f"run p -i {IMAGE}", 'Error from server (AlreadyExists): pods "p" already exists\n', 1),
    ],
)
def test_a_pod_is_attached_to_as_by_a_real_kubectl(line: str, said: str, code: int) -> None:
    asked = session()
    assert (asked.ask(f"kubectl {line}"), asked.exit_code) == (said, code)


def test_a_later_kubectl_shows_first_what_was_there_before_it_was_attached() -> None:
    asked = session("1.37")
    ended = "Session ended, resume using 'kubectl attach r -c r -n default -i -t' command\npod \"r\" deleted from default namespace\n"
    line = f"run r {IMAGE} --restart=Never --rm -it -- sh -c 'echo hi; sleep 3; echo ho'"
    assert asked.ask(f"kubectl {line}") == f"hi\n{KEPT}{PROMPT}ho\n{ended}"


def test_what_is_removed_is_gone_and_what_is_not_stays() -> None:
    asked = session()
    asked.ask(f"kubectl run r {IMAGE} --restart=Never --rm -i -- true")
    asked.ask(f"kubectl run stays {IMAGE} --restart=Never -i -- true")
    assert asked.ask("kubectl get pods -o name") == "pod/p\npod/stays\n"


def test_the_pod_has_the_input_that_was_asked_for() -> None:
    asked = session()
    asked.ask(f"kubectl run r {IMAGE} -i --attach=false")
    assert asked.ask("kubectl get pod r -o jsonpath='{.spec.containers[0].stdin} {.spec.containers[0].stdinOnce}'") == "true true"


def test_a_line_that_was_logged_as_the_pod_became_ready_was_there_before() -> None:
    line = f"run r {IMAGE} --restart=Never -i -- sh -c 'sleep 0.015; echo hi; sleep 3; echo ho'"
    assert session("1.37").ask(f"kubectl {line}") == f"hi\n{KEPT}{PROMPT}ho\n"


@pytest.mark.parametrize(("patience", "said"), [("441ms", TIMED_OUT), ("442ms", f"hi\n{KEPT}{PROMPT}")])
def test_the_pod_may_become_ready_in_the_last_moment_of_the_patience(patience: str, said: str) -> None:
    asked = session("1.37")
    assert asked.ask(f"kubectl run r {IMAGE} --restart=Never -i --pod-running-timeout={patience} -- sh -c 'echo hi; sleep 3'") == said


def told(line: str, seen_ms: Ms, *others: tuple[Ms, AnyCommand], kubernetes: str = "1.33") -> AttachedSoFar:
    """How far a line of second 10 has come at a moment, and with it what others do to its pod."""
    world, records = run(header(pod(container()), kubernetes=kubernetes), 10)
    action = action_of(world, f"kubectl run r {IMAGE} -i {line}", now_ms=10_000)
    records += apply(world, action.steps[0].command)
    seq = next(record.seq for record in records if record.kind == "command")
    for at_ms, command in others:
        records += [*advance(world, until_ms=at_ms).records, *apply(world, command)]
    records += advance(world, until_ms=seen_ms).records
    found = following(action, [seq], records, world)
    assert found is not None
    return found


DELETED = DeletePod(target="default/r")
FORCED = DeletePod(target="default/r", force=True)
RESTARTED = "--restart=OnFailure -- sh -c 'sleep 3; exit 3'"
LASTING = "--restart=Never -- sh -c 'sleep 60'"


@pytest.mark.parametrize(("seen_ms", "said"), [(12_999, ""), (13_000, TIMED_OUT)])
def test_a_pod_that_does_not_become_ready_is_waited_for_as_long_as_the_patience(seen_ms: Ms, said: str) -> None:
    found = told(f"--pod-running-timeout=3s {NOWHERE}", seen_ms)
    assert (found.text, found.is_over) == (said, bool(said))


@pytest.mark.parametrize("restart", ["Always", "Never"])
def test_a_pod_that_another_deletes_before_it_is_ready_is_not_found(restart: str) -> None:
    found = told(f"--restart={restart} --rm {NOWHERE}", 12_000, (12_000, DELETED))
    assert found == AttachedSoFar(text=NOT_FOUND, is_over=True, exit_code=1)


def test_a_pod_that_another_deletes_while_its_end_is_waited_for_is_not_found() -> None:
    found = told(RESTARTED, 50_000, (14_000, DELETED))
    assert found == AttachedSoFar(text=f"{PROMPT}{NOT_FOUND}", is_over=True, exit_code=1)


@pytest.mark.parametrize(("seen_ms", "said"), [(13_000, ""), (74_499, ""), (74_500, TIMED_OUT)])
def test_the_end_of_a_pod_that_is_gone_before_its_container_is_waited_for_in_vain(seen_ms: Ms, said: str) -> None:
    """Its container ends at 14.5 s; from then on kubectl watches for a pod of that name."""
    found = told(LASTING, seen_ms, (12_000, FORCED))
    assert (found.text, found.is_over) == (f"{PROMPT}{said}", bool(said))


@pytest.mark.parametrize(("seen_ms", "is_over"), [(12_426, False), (12_427, True)])
def test_a_pod_that_is_always_restarted_is_left_when_its_container_ends(seen_ms: Ms, is_over: bool) -> None:
    assert told("--restart=Always -- sh -c 'sleep 2'", seen_ms).is_over == is_over


def test_a_pod_that_another_is_deleting_is_attached_to_until_its_container_ends() -> None:
    found = told("-t --restart=Always -- sh -c 'sleep 60'", 13_000, (12_000, DELETED))
    assert found == AttachedSoFar(text=PROMPT)


def test_the_pod_is_still_to_be_removed_when_another_has_labelled_it() -> None:
    label = PatchObject(kind="Pod", namespace="default", name="r", patch='{"metadata":{"labels":{"a":"b"}}}')
    found = told("--restart=Never --rm -- true", 13_000, (12_000, label))
    assert found.due == "delete pod/r --namespace=default --ignore-not-found --wait=false"
