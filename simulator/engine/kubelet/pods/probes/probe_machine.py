"""The stored result of a probe: what Kubernetes acts on, unlike the outcome of a single attempt.

A result is stored by a rule, not by an attempt: enough equal outcomes in a row (PROBE-SUCCEEDED,
PROBE-FAILED), or a state of the container that determines the result without one. A container that
is not running has failed its readiness; a sidecar that has started has passed its startup probe.
PROBE-FAILED-HOLD is the same failure of a liveness or startup probe, after which the worker pauses:
the failure kills the container, so there is no reason to probe this instance any more.

Each rule stores its result whatever was stored before, hence ``ANY`` in every row: records do not
name the state that was left. How a rule is found is in ``probe_step``, what a changed result triggers
in ``probe_results``, and when probes run in ``probe_workers``.
"""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State, imported
from simulator.engine.kernel.rule_text import gettext_noop

PROBE: Machine[str | None] = Machine(
    "probe",
    about=gettext_noop("What a container’s probe reports, once enough attempts in a row agree."),
    initial="",
    states=(
        State("", gettext_noop("No result yet"), "absent"),
        State("success", gettext_noop("Success"), "ready"),
        State("failure", gettext_noop("Failure"), "failed"),
    ),
    rows=(
        Row(ANY, DECIDED, "success", "PROBE-SUCCEEDED"),
        Row(ANY, DECIDED, "failure", "PROBE-FAILED"),
        Row(ANY, DECIDED, "failure", "PROBE-FAILED-HOLD"),
        Row(ANY, DECIDED, "failure", "PROBE-NOT-RUNNING"),
        Row(ANY, DECIDED, "failure", "PROBE-CONTAINER-OVER"),
        Row(ANY, DECIDED, "success", "PROBE-POD-DELETED"),
        Row(ANY, DECIDED, "success", "PROBE-SIDECAR-STARTED"),
        imported(),
    ),
)


def stored_result(rule: str) -> str:
    """The result that a rule makes a probe worker store, as Kubernetes writes it: Success or Failure."""
    found: str | None = PROBE.kept.get(rule)
    return found if found is not None else PROBE.keep(rule, PROBE.decided(rule, PROBE.initial).target.capitalize())
