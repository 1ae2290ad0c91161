"""How kubectl derives the STATUS word: the steps end with the word of printed_columns."""

import pytest

from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerState, ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.printing import NEWEST, PrintOptions, printed_columns
from simulator.engine.projection.derivation import derivation

OLD = PrintOptions(restart_age=False, scheduling_gates=False, sidecars=False, phase_outlives_deletion=False)
SPEC = PodSpec(
    containers=(Container(name="a"), Container(name="b")),
    init_containers=(Container(name="i"), Container(name="s", restart_policy="Always")),
)
CRASH = Waiting("CrashLoopBackOff")
DONE, FAILED = Terminated(0, "Completed"), Terminated(1)


def status(*states: ContainerState | None, init: tuple[ContainerState, ...] = (), phase: str = "Running", **more: str) -> PodStatus:
    def entries(names: str, found: tuple[ContainerState | None, ...]) -> tuple[ContainerStatus, ...]:
        return tuple(
            ContainerStatus(name=name, state=state, ready=isinstance(state, Running), started=True)
            for name, state in zip(names, found, strict=False)
        )

    conditions = (PodCondition(type="PodScheduled", status="False", reason=more.pop("gate", "")),)
    if "ready" in more:
        conditions += (PodCondition(type="Ready", status=more.pop("ready")), PodCondition(type="Initialized", status="True"))
    return PodStatus(phase=phase, containers=entries("ab", states), init_containers=entries("is", init), conditions=conditions, **more)


CASES = {
    "pending": status(phase="Pending"),
    "evicted": status(phase="Failed", reason="Evicted"),
    "gated": status(phase="Pending", gate="SchedulingGated"),
    "running": status(Running(), Running(), ready="True"),
    "first crashes": status(CRASH, Running()),
    "second crashes": status(Running(), CRASH),
    "both ended": status(DONE, FAILED),
    "one completed": status(DONE, Running(), ready="True"),
    "one completed, not ready": status(Running(), DONE, ready="False"),
    "signal": status(Terminated(137, signal=9), Running()),
    "init runs": status(Waiting("PodInitializing"), init=(Running(), Waiting()), phase="Pending"),
    "init crashes": status(init=(CRASH, Waiting()), phase="Pending"),
    "init failed": status(init=(FAILED,), phase="Failed"),
    "sidecar runs": status(Running(), Running(), init=(DONE, Running()), ready="True"),
    "lost": status(Running(), reason="NodeLost"),
    "nothing known": status(None, Waiting()),
    "succeeded": status(DONE, DONE, phase="Succeeded"),
}


@pytest.mark.parametrize("options", [NEWEST, OLD], ids=["newest", "old"])
@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_derivation_ends_with_the_word_and_rule_that_are_printed(case: str, is_deleted: bool, options: PrintOptions) -> None:
    columns = printed_columns(SPEC, CASES[case], now_ms=0, is_deleted=is_deleted, options=options)
    last = derivation(SPEC, CASES[case], is_deleted=is_deleted, options=options)[-1]
    assert (last.word, last.rule_id) == (columns.status, columns.rule_id)


def test_derivation_names_the_fields_it_read() -> None:
    fields = [step.field for step in derivation(SPEC, CASES["first crashes"], is_deleted=False, options=OLD)]
    assert fields == ["status.phase", "status.containerStatuses[1].ready", "status.containerStatuses[0].state.waiting.reason"]
