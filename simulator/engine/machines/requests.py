"""The outcome of requests that a Service sends to a pod.

One machine for each Service and pod with a declared load. Any state may follow any other: a rule
decides the outcome at each change (``network/load/fate.py``). If a pod has several outcomes, the
worst is shown.

refused means that the machine is reachable but nothing listens; timeout that nothing answers at all,
or too late; reset that a connection broke while its request was in flight.
"""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State

_BY_RULE = (
    ("answered", ("TRAFFIC-ANSWERED", "TRAFFIC-FALLBACK")),
    ("retried", ("TRAFFIC-RETRIED",)),
    ("error", ("TRAFFIC-ERROR",)),
    ("refused", ("TRAFFIC-NO-ENDPOINT", "TRAFFIC-STILL-LISTED", "TRAFFIC-NOT-LISTENING", "TRAFFIC-RESTARTING")),
    ("timeout", ("TRAFFIC-NO-SERVICE", "TRAFFIC-HUNG", "TRAFFIC-GONE", "TRAFFIC-NODE-DOWN", "TRAFFIC-NODE-CUT", "TRAFFIC-SLOW")),
    ("reset", ("TRAFFIC-CUT", "TRAFFIC-NO-ANSWER")),
    ("", ("TRAFFIC-NONE",)),
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
