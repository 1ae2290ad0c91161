"""Which evaluator answers for which family. A family without an entry is reported as not implemented."""

from collections.abc import Callable
from typing import Any, NamedTuple

from simulator.conformance import (
    actions_cases,
    backoff_cases,
    budget_cases,
    defaulting_cases,
    eviction_cases,
    node_cases,
    phase_cases,
    pod_cases,
    printing_cases,
    probe_cases,
    quantity_cases,
    resource_cases,
    validation_cases,
    validation_update_cases,
)
from simulator.conformance.cases import Case
from simulator.conformance.compare import covers

Evaluate = Callable[..., Any]
"""Takes the input of a case, and its note where the evaluator reads notes."""


class Evaluator(NamedTuple):
    """How a family is evaluated and when an answer agrees with the expected one."""

    evaluate: Evaluate
    agrees: Callable[[Any, Any], bool] = covers
    reads_note: bool = False

    def got(self, case: Case) -> Any:
        """What the engine says of a case."""
        return self.evaluate(case.input, note=case.note) if self.reads_note else self.evaluate(case.input)


FAMILIES: dict[str, Evaluator] = {
    "active_deadline": Evaluator(pod_cases.evaluate_deadline),
    "backoff": Evaluator(backoff_cases.evaluate),
    "conditions": Evaluator(phase_cases.evaluate_condition),
    "defaulting": Evaluator(defaulting_cases.evaluate, defaulting_cases.agrees),
    "downward_api": Evaluator(pod_cases.evaluate_downward),
    "eviction_ranking": Evaluator(eviction_cases.evaluate),
    "human_duration": Evaluator(printing_cases.evaluate_duration),
    "image_pull": Evaluator(pod_cases.evaluate_pull),
    "pdb": Evaluator(budget_cases.evaluate),
    "phase": Evaluator(phase_cases.evaluate_phase),
    "pod_actions": Evaluator(actions_cases.evaluate, actions_cases.agrees),
    "pod_available": Evaluator(pod_cases.evaluate_available),
    "podgc": Evaluator(node_cases.evaluate_gc),
    "pod_requests": Evaluator(resource_cases.evaluate_requests, resource_cases.requests_agree),
    "printed_status": Evaluator(printing_cases.evaluate_columns),
    "probe_worker": Evaluator(probe_cases.evaluate),
    "qos": Evaluator(resource_cases.evaluate_qos),
    "quantity": Evaluator(quantity_cases.evaluate),
    "taint_eviction": Evaluator(node_cases.evaluate_taints),
    "termination_grace": Evaluator(pod_cases.evaluate_grace),
    "validation_create": Evaluator(validation_cases.evaluate, validation_cases.agrees, reads_note=True),
    "validation_update": Evaluator(validation_update_cases.evaluate, validation_cases.agrees, reads_note=True),
}
