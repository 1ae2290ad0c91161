"""The code that a line ends with, as ``$?`` of a shell has it; a real client's are in ``test_recorded_cluster``."""

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"


def session() -> Session:
    return Session(*run(header(pod(container())), 10), now_ms=10_000)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("get pods", 0),
        ("get pods -n empty", 0),
        ("get pod p nope", 1),
        ("get pod p nope | wc -l", 1),
        ("get pod nope --ignore-not-found", 0),
        ("describe pod nope", 1),
        ("get --raw /nowhere", 1),
        ("get", 1),
        ("top nodes --nope", 1),
        ("logs p -c nope", 1),
        ("wait --for=condition=Foo pod/p --timeout=1s", 1),
        ("wait --for=condition=Ready pod/p", 0),
        ("rollout status deploy/nope", 1),
        ("exec p -- sh -c 'exit 3'", 3),
        ("exec p -- true", 0),
        ("label pod p nope a=b", 1),
        ("label pod p --list", 0),
        ("delete pod p --timeout=100ms", 1),
        ('patch pod p -p \'{"spec":{"nodeName":"x"}}\' --dry-run=server', 1),
        ("drain node1", 1),
        ("cordon node1", 0),
    ],
)
def test_a_line_ends_with_a_code(line: str, code: int) -> None:
    asked = session()
    said = asked.ask(f"kubectl {line}")
    assert asked.exit_code == code, said


def test_diff_ends_with_a_code_where_there_is_a_difference() -> None:
    asked = session()
    asked.ask(f"kubectl diff -f - <<EOF\n{MANIFEST}EOF")
    assert asked.exit_code == 1
    asked.ask(f"kubectl apply -f - <<EOF\n{MANIFEST}EOF")
    asked.ask(f"kubectl diff -f - <<EOF\n{MANIFEST}EOF")
    assert asked.exit_code == 0


def test_what_was_found_still_goes_through_the_pipe() -> None:
    assert session().ask("kubectl get pod p nope -o name | wc -l") == 'Error from server (NotFound): pods "nope" not found\n1\n'
