"""nodeSelector and node affinity: whether a pod may run on a node, and how much it prefers it.

Source: component-helpers scheduling/corev1/nodeaffinity. A document that validation would have
rejected matches nothing.
"""

from collections.abc import Mapping
from typing import Any

from simulator.engine.model.pod import PodSpec
from simulator.engine.model.selectors import Labels


def node_matches(spec: PodSpec, labels: Labels, name: str) -> bool:
    """Whether nodeSelector and the required terms of the node affinity allow the node. O(1) for a pod without either."""
    for key, text in spec.node_selector.items():
        if labels.get(key) != text:
            return False
    if not spec.affinity:
        return True
    required = (spec.affinity.get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    # Terms are alternatives; all expressions of one must hold.
    return any(term_matches(term, labels, name) for term in required.get("nodeSelectorTerms") or ())


def named_nodes(spec: PodSpec) -> tuple[str, ...] | None:
    """The nodes that the required affinity names by metadata.name, as for a DaemonSet's pods; None if it names none.

    Source: plugins/nodeaffinity/node_affinity.go PreFilter.
    """
    required = ((spec.affinity or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    found: dict[str, None] = {}
    for term in required.get("nodeSelectorTerms") or ():
        fields = [item for item in term.get("matchFields") or () if item.get("key") == "metadata.name" and item.get("operator") == "In"]
        if not fields:
            return None
        # Several requirements of one term: only the nodes that all of them name.
        first, *others = ([str(value) for value in item.get("values") or ()] for item in fields)
        found.update(dict.fromkeys(name for name in first if all(name in values for values in others)))
    return tuple(found) or None


def mismatch(spec: PodSpec, labels: Labels, name: str) -> tuple[str, str]:
    """What a node that does not match lacks: the first requirement in words, and what the node has instead ("nothing": no such label)."""
    for key, text in spec.node_selector.items():
        if labels.get(key) != text:
            return f"{key}={text}", _has(labels, key)
    required = ((spec.affinity or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    wanted, found = [], []
    for term in required.get("nodeSelectorTerms") or ():
        for item, facts in (
            *((item, labels) for item in term.get("matchExpressions") or ()),
            *((item, {"metadata.name": name}) for item in term.get("matchFields") or ()),
        ):
            if not _holds(item, facts):
                values = ", ".join(str(value) for value in item.get("values") or ())
                wanted.append(f"{item.get('key')} {item.get('operator')}{f' ({values})' if values else ''}")
                found.append(_has(facts, str(item.get("key"))))
                break
    return " or ".join(wanted) or "a term that matches something", ", ".join(dict.fromkeys(found)) or "nothing"


def _has(labels: Labels, key: str) -> str:
    return f"{key}={labels[key]}" if key in labels else "nothing"


def preference(spec: PodSpec, labels: Labels, name: str) -> int:
    """Sum of the weights of the preferred terms that the node satisfies."""
    preferred = ((spec.affinity or {}).get("nodeAffinity") or {}).get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    return sum(int(item.get("weight") or 0) for item in preferred if term_matches(item.get("preference") or {}, labels, name))


def term_matches(term: Mapping[str, Any], labels: Labels, name: str) -> bool:
    """Whether all expressions of a term hold; a term without any matches nothing."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    return all(_holds(item, labels) for item in expressions) and all(_holds(item, {"metadata.name": name}) for item in fields)


def _holds(expression: Mapping[str, Any], labels: Labels) -> bool:
    """One expression; a missing label satisfies NotIn and DoesNotExist."""
    found = labels.get(str(expression.get("key")))
    values = [str(item) for item in expression.get("values") or ()]
    operator = expression.get("operator")
    if operator == "In":
        return found in values
    if operator == "NotIn":
        return found not in values
    if operator == "Exists":
        return found is not None
    if operator == "DoesNotExist":
        return found is None
    return operator in ("Gt", "Lt") and _compares(found, values, more=operator == "Gt")


def _compares(found: str | None, values: list[str], *, more: bool) -> bool:
    try:
        number, limit = int(found or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > limit if more else number < limit
