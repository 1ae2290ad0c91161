"""``kubectl config``: the context of a run, which is the only one there is, and the namespace that it is given for later lines.

Source: kubectl pkg/cmd/config; compared with clients 1.20 to 1.37. Nothing is kept here: whoever types the lines keeps the
namespace and passes it on with each of them. Lines that would change anything else of a kubeconfig are refused.
"""

import re
from collections.abc import Callable

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.align import table
from simulator.kubectl.help import wants_help
from simulator.kubectl.line import BadLine, Line, check_flags, parse_line, verb_of
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.shell import is_too_long, shell_line
from simulator.kubectl.tables.model import Sight

SERVER = "https://kubernetes.default.svc"
"""The address of the API server as pods know it; a run has a different one for every client."""
USER = CONTEXT = "podscope"
"""The name of the user, and of the context and the cluster where they belong to no run of a site."""
NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
"""The name of a namespace."""
_PREFERENCES = Span(until=36)
_OF_SET_CONTEXT = ("current", "namespace", "cluster", "user")
_NO_NAMESPACE = "default"
"""The namespace of lines whose context has none."""


def context_name(thing: str, at: str = "") -> str:
    """The name of the context of a run or a shared link, ``podscope-1a2b3c4d``; ``at`` tells several of the same run apart."""
    return f"podscope-{thing[:8]}{at}"


def config(line: Line, sight: Sight) -> str:
    """The output of ``kubectl config view|get-contexts|current-context|set-context …``. Raises BadLine."""
    word = line.words[0] if line.words else ""
    if word not in _CONFIG:
        if not word:
            raise BadLine("error: a subcommand is needed: current-context, get-contexts, set-context, view")
        if word not in _CHANGING:
            raise BadLine(f"error: unknown command \"{word}\"\nSee 'kubectl config -h' for help and examples")
        raise BadLine(
            f"error: there is no kubeconfig here for config {word}: the context is that of the run; "
            "set-context --current --namespace=NAME sets the namespace of later commands"
        )
    return _CONFIG[word](line, sight)


def chosen_by(text: str, minor: int, context: str = CONTEXT) -> str:
    """The namespace that a line gives the context of that name for later lines; empty if it gives none, or kubectl refuses the line."""
    if is_too_long(text):
        return ""
    try:
        words = shell_line(text).words
        if verb_of(words) != "config" or wants_help(words):
            return ""
        line = parse_line(words)
        check_flags(line, words, minor)
        return _chosen(line, context) if line.words[:1] == ("set-context",) else ""
    except BadLine:
        return ""


def _chosen(line: Line, context: str) -> str:
    """The namespace that a ``set-context`` line sets; empty if it sets none. Raises BadLine."""
    if unknown := next((name for name in line.flags if name not in _OF_SET_CONTEXT), ""):
        raise BadLine(f"error: unknown flag: --{unknown}\nSee 'kubectl config set-context --help' for usage.")
    names = line.words[1:]
    if len(names) > 1:
        raise BadLine(f"error: Unexpected args: [{' '.join(names)}]")
    if line.has("current") and names:
        raise BadLine("error: you cannot specify both a context name and --current")
    if not line.has("current") and len(names) != 1:
        raise BadLine("error: you must specify a non-empty context name or --current")
    others = [name for name in (*names, line.value("cluster")) if name not in ("", context)]
    others += [name for name in (line.value("user"),) if name not in ("", USER)]
    if others:
        known = f"the only context and cluster are called {context}, the only user {USER}"
        raise BadLine(f'error: there is no kubeconfig here for "{others[0]}": {known}')
    if "namespace" not in line.flags:
        return ""
    if line.value("namespace") and not NAMESPACE.fullmatch(line.value("namespace")):
        raise BadLine(f'error: "{line.value("namespace")}" is not a name that a namespace can have')
    return line.value("namespace") or _NO_NAMESPACE


def _name(sight: Sight) -> str:
    """The name of the context, which is that of its cluster too."""
    return sight.context or CONTEXT


def _set(line: Line, sight: Sight) -> str:
    _chosen(line, _name(sight))
    return f'Context "{_name(sight)}" modified.\n'


def _current(line: Line, sight: Sight) -> str:
    return f"{_name(sight)}\n"


def _contexts(line: Line, sight: Sight) -> str:
    own = _name(sight)
    if line.value("output") == "name":
        return f"{own}\n"
    wrong = next((name for name in line.words[1:] if name != own), "")
    if wrong:
        head = "" if line.has("no-headers") else "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n"
        raise BadLine(f"{head}error: context {wrong} not found")
    rows = [["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"], ["*", own, own, USER, sight.namespace]]
    return table(rows[1:] if line.has("no-headers") else rows)


def _view(line: Line, sight: Sight) -> str:
    own = _name(sight)
    context = {"cluster": own, "user": USER, "namespace": sight.namespace}
    found: Json = {
        "kind": "Config",
        "apiVersion": "v1",
        **({"preferences": {}} if _PREFERENCES.holds_for(sight.minor) else {}),
        "clusters": [{"name": own, "cluster": {"server": SERVER}}],
        "users": [{"name": USER, "user": {}}],
        "contexts": [{"name": own, "context": context}],
        "current-context": own,
    }
    output = line.value("output") or ("go-template" if line.value("template") else "yaml")
    return print_object(found, output, full_name="", line=line, sight=sight)


def _clusters(line: Line, sight: Sight) -> str:
    return f"NAME\n{_name(sight)}\n"


def _users(line: Line, sight: Sight) -> str:
    return f"NAME\n{USER}\n"


def _use(line: Line, sight: Sight) -> str:
    name = line.words[1] if len(line.words) == 2 else ""
    if not name:
        raise BadLine("error: " + f"accepts 1 arg(s), received {len(line.words) - 1}")
    if name != _name(sight):
        raise BadLine(f'error: no context exists with the name: "{name}"')
    return f'Switched to context "{name}".\n'


_CHANGING = ("delete-cluster", "delete-context", "delete-user", "rename-context", "set", "set-cluster", "set-credentials", "unset")
_CONFIG: dict[str, Callable[[Line, Sight], str]] = {
    "current-context": _current,
    "get-contexts": _contexts,
    "view": _view,
    "get-clusters": _clusters,
    "get-users": _users,
    "set-context": _set,
    "use-context": _use,
    "use": _use,
}
