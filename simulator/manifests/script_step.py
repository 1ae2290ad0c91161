"""One step of a script while it is read: its fields with their types, and the error that names what is wrong with it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from simulator.manifests.loader import RawDocument
from simulator.manifests.problems import Problem
from simulator.manifests.texts import _


class BadStep(Exception):
    """A step that cannot be turned into commands; ``path`` is relative to the step."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class Step(Struct, frozen=True, kw_only=True):
    """One step while it is read. ``body`` is what stands under the verb."""

    path: str
    verb: str
    body: Any
    sent_to_api: bool
    namespace: str
    kubernetes: str
    gates: Mapping[str, bool]
    source: RawDocument
    problems: list[Problem]

    def field(self, name: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """A field of the body, checked for its type; raises BadStep."""
        value = self.body.get(name) if isinstance(self.body, dict) else None
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise BadStep(_("%s has the wrong type") % name, f"{self.verb}.{name}")
        return value

    def needed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """A field that must be there."""
        value = self.field(name, kind)
        if value is None:
            raise BadStep(_("%s is missing") % name, self.verb)
        return value

    def only(self, *names: str) -> None:
        """Refuse options beyond these, since leaving them out would change what the step means."""
        for name in self.body if isinstance(self.body, dict) else ():
            if name not in names:
                message = _('"%(verb)s" with "%(option)s" is not supported') % {"verb": self.verb, "option": name}
                raise BadStep(message, f"{self.verb}.{name}")

    def target(self) -> str:
        """The key of the pod named by ``pod``."""
        return f"{self.namespace}/{self.needed('pod', str)}"
