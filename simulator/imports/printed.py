"""Human-readable kubectl output: it lacks what an import needs, so the reader is told which command to run."""

import re

from simulator.imports.texts import _
from simulator.manifests.problems import ERROR, Problem

_LOOKED_AT = 4000
"""How many characters are examined to recognize the kind of output."""
_DESCRIBED = re.compile(r"^Name:[ \t]+(\S+)[ \t]*$", re.MULTILINE)
_NAMESPACE = re.compile(r"^Namespace:[ \t]+([a-z0-9-]{1,63})[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"^(?:NAMESPACE[ \t]+)?(?:NAME[ \t]+READY[ \t]+STATUS|LAST SEEN[ \t]+TYPE[ \t]+REASON)\b", re.MULTILINE)
_FAILED = re.compile(r"^(?:Error from server|error:|The connection to the server|No resources found)", re.MULTILINE)


def printed_for_people(text: str | bytes) -> Problem | None:
    """The problem with a text that kubectl printed without ``-o yaml``; None for any other text. Looks only at its beginning."""
    begin = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text)[:_LOOKED_AT].replace("\r\n", "\n")
    if (found := _DESCRIBED.search(begin)) is not None:
        namespace = _NAMESPACE.search(begin)
        line = f"kubectl get pod,events{f' -n {namespace[1]}' if namespace else ''} -o yaml"
        what = _("this is kubectl describe output, which leaves out much of the pod: paste the output of %s") % line
    elif (found := _TABLE.search(begin)) is not None:
        what = _("this is a kubectl table, which leaves out most of the pod: paste the output of %s") % "kubectl get pod,events -o yaml"
    elif (found := _FAILED.search(begin)) is not None:
        what = _("this is a kubectl error and contains no pod: paste the output of %s") % "kubectl get pod,events -o yaml"
    else:
        return None
    return Problem(severity=ERROR, message=what, code="for-people", line=begin.count("\n", 0, found.start()) + 1)
