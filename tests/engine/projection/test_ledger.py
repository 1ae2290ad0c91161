"""What used up the grace period."""

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.ledger import Ledger, ledger
from tests.engine.worlds import container, header, pod, run

DEAF = "trap '' TERM; while true; do sleep 1; done"


def ledger_at(second: float, script: str = DEAF, *, hook: str = "", grace_s: int = 10) -> Ledger | None:
    more = {"lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", hook]}}}} if hook else {}
    document = pod(container(script, **more), terminationGracePeriodSeconds=grace_s)
    _, records = run(header(document), second, (5, DeletePod(target="default/p")))
    return ledger(records, "container/default/p/app")


def test_ledger_is_none_while_nothing_stops() -> None:
    assert ledger_at(4.9) is None


def test_ledger_has_the_hook_then_term_then_kill() -> None:
    found = ledger_at(40, hook="sleep 4")
    assert found is not None
    assert [entry.who for entry in found.entries] == ["hook", "term", "kill"]
    assert (found.grace_ms, found.exit_code) == (10_000, 137)


def test_ledger_names_the_extra_two_seconds_when_the_hook_overruns() -> None:
    found = ledger_at(40, hook="sleep 60")
    assert found is not None
    assert [entry.who for entry in found.entries] == ["hook", "extra", "kill"]
    extra = found.entries[1]
    assert extra.end_ms is not None and extra.end_ms - extra.begin_ms == 2_000


def test_ledger_is_open_while_the_process_still_runs() -> None:
    found = ledger_at(9)
    assert found is not None
    assert (found.ended_ms, found.entries[-1].end_ms, found.entries[-1].signal) == (None, None, "TERM")


def test_ledger_of_a_polite_process_ends_with_term() -> None:
    found = ledger_at(40, "trap 'exit 0' TERM; while true; do sleep 1 & wait $!; done")
    assert found is not None
    assert ([entry.who for entry in found.entries], found.exit_code) == (["term"], 0)
