"""The evaluator of each family. A family without an entry is reported as not implemented."""

from collections.abc import Callable
from typing import Any, NamedTuple

from simulator.engine.kernel.rule_text import gettext_noop
from simulator.fidelity.cases import (
    actions,
    backoff,
    budgets,
    defaulting,
    endpoints,
    evictions,
    jobs,
    nodes,
    phases,
    pods,
    printing,
    probes,
    quantities,
    ranking,
    resources,
    validation,
    validation_update,
)
from simulator.fidelity.cases.agreement import covers
from simulator.fidelity.cases.table import Case

Evaluate = Callable[..., Any]
"""Takes the input of a case, and its note if the evaluator reads notes."""


class Evaluator(NamedTuple):
    """How a family is evaluated, and when an answer agrees with the expected one. ``remark``: what in it no run uses."""

    evaluate: Evaluate
    agrees: Callable[[Any, Any], bool] = covers
    reads_note: bool = False
    remark: str = ""

    def got(self, case: Case) -> Any:
        """The engine's answer to a case."""
        return self.evaluate(case.input, note=case.note) if self.reads_note else self.evaluate(case.input)


_NO_SHORT_FORM = gettext_noop("The short form is only tested on its own function: nothing that a run prints uses it.")

FAMILIES: dict[str, Evaluator] = {
    "active_deadline": Evaluator(pods.evaluate_deadline),
    "backoff": Evaluator(backoff.evaluate),
    "conditions": Evaluator(phases.evaluate_condition),
    "defaulting": Evaluator(defaulting.evaluate, defaulting.agrees),
    "downward_api": Evaluator(pods.evaluate_downward),
    "endpoints": Evaluator(endpoints.evaluate),
    "eviction_ranking": Evaluator(evictions.evaluate),
    "human_duration": Evaluator(printing.evaluate_duration, remark=_NO_SHORT_FORM),
    "image_pull": Evaluator(pods.evaluate_pull),
    "job_pod_failure_policy": Evaluator(jobs.evaluate_policy),
    "pdb": Evaluator(budgets.evaluate),
    "phase": Evaluator(phases.evaluate_phase),
    "pod_actions": Evaluator(actions.evaluate, actions.agrees),
    "pod_available": Evaluator(pods.evaluate_available),
    "podgc": Evaluator(nodes.evaluate_gc),
    "pod_deletion_ranking": Evaluator(ranking.evaluate),
    "pod_requests": Evaluator(resources.evaluate_requests, resources.requests_agree),
    "printed_status": Evaluator(printing.evaluate_columns),
    "probe_worker": Evaluator(probes.evaluate),
    "qos": Evaluator(resources.evaluate_qos),
    "quantity": Evaluator(quantities.evaluate),
    "taint_eviction": Evaluator(nodes.evaluate_taints),
    "termination_grace": Evaluator(pods.evaluate_grace),
    "validation_create": Evaluator(validation.evaluate, validation.agrees, reads_note=True),
    "validation_update": Evaluator(validation_update.evaluate, validation.agrees, reads_note=True),
}
