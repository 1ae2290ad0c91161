"""``replace --force`` and ``apply --force``: the object's end is waited for, with the grace period that kubectl asks for."""

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

SLOW = """\
apiVersion: v1
kind: Pod
metadata: {name: slow}
spec:
  terminationGracePeriodSeconds: 20
  containers: [{name: app, image: "busybox:1.28", command: [sh, -c, 'trap "" TERM; sleep 1000; sleep 1000']}]
"""
OTHER = SLOW.replace("sleep 1000; ", "sleep 2000; ")


@pytest.fixture
def session() -> Session:
    begun = Session(*run(header(pod(container()), kubernetes="1.33"), 10), now_ms=10_000)
    begun.ask(f"apply -f - <<EOF\n{SLOW}EOF")
    begun.ask("wait --for=condition=Ready pod/slow")
    return begun


def asked(session: Session, flags: str, text: str = OTHER) -> tuple[str, int]:
    """What the line prints, and the whole seconds that it takes."""
    begun_ms = session.now_ms
    said = session.ask(f"{flags} -f - <<EOF\n{text}EOF")
    return said, (session.now_ms - begun_ms) // 1000


@pytest.mark.parametrize(
    ("flags", "least_s"),
    [("", 20), ("--grace-period=-1", 20), ("--grace-period=5", 5), ("--grace-period=0", 1), ("--grace-period=1", 1)],
)
def test_replace_by_force_waits_for_the_end_of_the_pod(session: Session, flags: str, least_s: int) -> None:
    said, took_s = asked(session, f"replace --force {flags}")
    assert said == 'pod "slow" deleted\npod/slow replaced\n' and session.exit_code == 0
    assert least_s <= took_s <= least_s + 4


def test_pod_that_replaces_another_is_that_of_the_input(session: Session) -> None:
    asked(session, "replace --force --grace-period=1")
    assert "sleep 2000" in session.ask("get pod slow -o jsonpath='{.spec.containers[0].command}'")


def test_replace_by_force_gives_up_after_its_timeout(session: Session) -> None:
    said, took_s = asked(session, "replace --force --timeout=3s")
    assert (said, took_s, session.exit_code) == ('pod "slow" deleted\nerror: context deadline exceeded\n', 3, 1)


def test_replace_by_force_creates_what_is_not_there(session: Session) -> None:
    assert asked(session, "replace --force", OTHER.replace("slow", "fresh")) == ("pod/fresh replaced\n", 0)


def test_replace_by_force_tells_a_refusal_of_the_new_object(session: Session) -> None:
    said, _ = asked(session, "replace --force --grace-period=1", OTHER.replace("busybox:1.28", ""))
    assert said.startswith('pod "slow" deleted\nThe Pod "slow" is invalid: spec.containers[0].image') and session.exit_code == 1


def test_apply_by_force_creates_again_what_cannot_be_changed(session: Session) -> None:
    said, took_s = asked(session, "apply --force --grace-period=2")
    assert said == "pod/slow configured\n" and 2 <= took_s <= 6


def test_apply_by_force_changes_what_can_be_changed(session: Session) -> None:
    assert asked(session, "apply --force", SLOW.replace("name: slow", "name: slow, labels: {a: b}")) == ("pod/slow configured\n", 0)


def test_grace_period_is_a_number(session: Session) -> None:
    said, _ = asked(session, "replace --force --grace-period=x")
    assert said.startswith('error: invalid argument "x" for "--grace-period" flag')
