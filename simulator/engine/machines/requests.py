"""What the requests that a Service sends to a pod come to."""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State

_BY_RULE = (
    ("answered", ("REQUEST-ANSWERED", "REQUEST-FALLBACK")),
    ("retried", ("REQUEST-RETRIED",)),
    ("error", ("REQUEST-ERROR",)),
    ("refused", ("REQUEST-NO-ENDPOINT", "REQUEST-STILL-LISTED", "REQUEST-NOT-LISTENING", "REQUEST-RESTARTING")),
    ("timeout", ("REQUEST-NO-SERVICE", "REQUEST-HUNG", "REQUEST-GONE", "REQUEST-NODE-DOWN", "REQUEST-SLOW")),
    ("reset", ("REQUEST-CUT", "REQUEST-NO-ANSWER")),
    ("", ("REQUEST-NONE",)),
)

REQUESTS: Machine[str] = Machine(
    "requests",
    about="What the requests come to that the declared load of a Service sends to a pod; all of a stretch come to the same.",
    initial="",
    states=(
        State("", "No requests", "absent"),
        State("answered", "Answered", "ready"),
        State("retried", "Answered at another try", "notready"),
        State("error", "Answered with an error", "failed"),
        State("refused", "Refused", "failed"),
        State("timeout", "Timed out", "unknown"),
        State("reset", "Reset", "backoff"),
    ),
    rows=tuple(Row(ANY, DECIDED, state, rule) for state, rules in _BY_RULE for rule in rules),
)
