"""The word that kubectl prints in STATUS.

It is not a field of the API: the server computes it for every request (``policies/printing.py``),
starting with the phase and letting more specific facts replace it. Most rules print what something
else says, a reason or a count, hence ``ANY`` as their target; the few words that only printing
uses are the states. Terminating is one of them: a pod has no such phase, only a
deletionTimestamp.

Source: pkg/printers/internalversion/printers.go printPod.
"""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State, imported

STATUS_WORD: Machine[str] = Machine(
    "status_word",
    about="The word kubectl prints in STATUS. Most rules print a word that something else brings: a phase, a reason, a count.",
    initial="",
    states=(
        State("", "No object", "absent"),
        State("SchedulingGated", "Held by a scheduling gate", "waiting"),
        State("Running", "Running", "ready"),
        State("NotReady", "Not ready", "notready"),
        State("Unknown", "Unknown", "unknown"),
        State("Terminating", "Terminating", "terminating"),
    ),
    rows=(
        *(Row(ANY, DECIDED, ANY, rule) for rule in ("PRINT-PHASE", "PRINT-REASON", "PRINT-INIT", "PRINT-WAITING", "PRINT-TERMINATED")),
        Row(ANY, DECIDED, "SchedulingGated", "PRINT-GATED"),
        Row(ANY, DECIDED, "Running", "PRINT-STILL-RUNNING"),
        Row(ANY, DECIDED, "NotReady", "PRINT-NOT-READY"),
        Row(ANY, DECIDED, "Unknown", "PRINT-NODE-LOST"),
        Row(ANY, DECIDED, "Terminating", "PRINT-TERMINATING"),
        *(Row(ANY, DECIDED, "", rule) for rule in ("POD-REMOVED", "DELETE-AT-ONCE", "FINALIZERS-GONE", "STATIC-MIRROR-BACK")),
        imported("Running", "Running"),  # readiness may change on its own
    ),
)
