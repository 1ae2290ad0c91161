"""Which evaluator answers for which family. A family without an entry is reported as not implemented."""

from collections.abc import Callable
from typing import Any, NamedTuple

from simulator.conformance import (
    actions_cases,
    backoff_cases,
    phase_cases,
    printing_cases,
    probe_cases,
)
from simulator.conformance.compare import covers

Evaluate = Callable[[dict[str, Any]], Any]


class Evaluator(NamedTuple):
    """How a family is evaluated and when an answer agrees with the expected one."""

    evaluate: Evaluate
    agrees: Callable[[Any, Any], bool] = covers


FAMILIES: dict[str, Evaluator] = {
    "backoff": Evaluator(backoff_cases.evaluate),
    "conditions": Evaluator(phase_cases.evaluate_condition),
    "human_duration": Evaluator(printing_cases.evaluate_duration),
    "phase": Evaluator(phase_cases.evaluate_phase),
    "pod_actions": Evaluator(actions_cases.evaluate, actions_cases.agrees),
    "printed_status": Evaluator(printing_cases.evaluate_columns),
    "probe_worker": Evaluator(probe_cases.evaluate),
}
