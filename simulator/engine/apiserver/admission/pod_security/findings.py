"""What a control of the Pod Security Standards reports of a pod, and helpers for its wording.

Source: staging/src/k8s.io/pod-security-admission/policy helpers.go, visitor.go, checks.go.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.json_text import Json

_GROUPS = ("initContainers", "containers", "ephemeralContainers")


class Violation(Struct, frozen=True):
    """A control that a pod violates: its short reason, and the detail that follows in brackets."""

    reason: str
    detail: str

    @property
    def text(self) -> str:
        """Both, as they appear in answers and warnings."""
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


def named_containers(spec: Json) -> Iterator[tuple[str, Json]]:
    """Name and document of every container, in the order in which the controls visit them."""
    for group in _GROUPS:
        for container in spec.get(group) or ():
            yield str(container.get("name") or ""), container


def security(owner: Json) -> Json:
    """The security context of a pod's spec or of a container; empty if there is none."""
    held: Json = owner.get("securityContext") or {}
    return held


def quoted_list(items: Iterable[str]) -> str:
    """Items in quotes, separated by commas."""
    return ", ".join(f'"{item}"' for item in items)


def plural(one: str, many: str, items: Iterable[Any]) -> str:
    """The singular or the plural, depending on the number of items."""
    return one if len(list(items)) == 1 else many


def container_words(names: list[str]) -> str:
    """``container "a"`` or ``containers "a", "b"``."""
    return f"{plural('container', 'containers', names)} {quoted_list(names)}"


def setters(of_pod: bool, names: list[str]) -> str:
    """What sets a value: the pod, its containers, or both."""
    return " and ".join([*(["pod"] if of_pod else []), *([container_words(names)] if names else [])])
