"""``kubectl run -i`` and ``--attach``: the pod is made, waited for, shown and with --rm deleted, as real kubectls printed it."""

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

PROMPT = "If you don't see a command prompt, try pressing enter.\n"
KEPT = (
    "All commands and output from this session will be recorded in container logs, "
    "including credentials and sensitive information passed through the command prompt.\n"
)
IMAGE = "--image=busybox:1.28"
NOWHERE = '--overrides=\'{"spec":{"nodeSelector":{"a":"b"}}}\''
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
            f"run r {IMAGE} -i --restart=OnFailure --rm --pod-running-timeout=9s -- sh -c 'sleep 4; exit 3'",
            f'{PROMPT}pod "r" deleted\n{TIMED_OUT}',
            1,
        ),
        (f"run r {IMAGE} -i --rm --restart=Never --leave-stdin-open -- sh -c 'sleep 3; exit 3'", f'{PROMPT}pod "r" deleted\n', 0),
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
