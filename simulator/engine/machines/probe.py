"""The stored result of a probe: what Kubernetes acts on, unlike the outcome of a single attempt."""

from simulator.engine.kernel.machine import DECIDED, Machine, Row, State, imported

PROBE: Machine[str | None] = Machine(
    "probe",
    about="What a probe of a container says, once enough attempts in a row agree.",
    initial="",
    states=(
        State("", "Nothing stored", "absent"),
        State("success", "Success", "ready"),
        State("failure", "Failure", "failed"),
    ),
    rows=(
        Row("", DECIDED, "success", "PROBE-SUCCEEDED"),
        Row("", DECIDED, "failure", "PROBE-FAILED"),
        Row("", DECIDED, "failure", "PROBE-FAILED-HOLD"),
        Row("", DECIDED, "failure", "PROBE-NOT-RUNNING"),
        Row("", DECIDED, "failure", "PROBE-CONTAINER-OVER"),
        Row("", DECIDED, "success", "PROBE-POD-DELETED"),
        imported(),
    ),
)


def stored_result(rule: str) -> str:
    """The result that a rule makes a probe worker store, as Kubernetes writes it: Success or Failure."""
    return PROBE.decided(rule, PROBE.initial).target.capitalize()
