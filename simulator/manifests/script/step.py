"""One step of a script while it is being read: typed access to its fields, and errors that name what is wrong with it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.script import BadStep
from simulator.engine.apiserver.wire.formats import is_quantity
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.check.check import check_text
from simulator.manifests.problems import Problem
from simulator.manifests.read.loader import RawDocument
from simulator.manifests.script.cluster_shutdown import is_priority_list, priorities
from simulator.manifests.script.durations import duration_ms

_WANTED: dict[type | tuple[type, ...], str] = {
    str: gettext_noop("{name} must be text"),
    dict: gettext_noop("{name} must be a map"),
    list: gettext_noop("{name} must be a list"),
    bool: gettext_noop("{name} must be true or false"),
    int: gettext_noop("{name} must be a whole number"),
    (dict, list): gettext_noop("{name} must be a map or a list, as unquoted YAML or JSON"),
    (bool, int): gettext_noop("{name} must be a whole number or true"),
    (str, dict): gettext_noop("{name} must be text or a map"),
    (str, dict, list): gettext_noop("{name} must be text, a map or a list"),
    (str, int): gettext_noop("{name} must be a number or text"),
    (int, str): gettext_noop("{name} must be a number or text"),
    (int, float, str): gettext_noop("{name} must be a number or text"),
}
"""The message for a field of the wrong type."""


class ScriptEntry(Struct, frozen=True, kw_only=True):
    """One step while it is being read, as the acts see it (``acts.script.StepReader``). ``body`` is the value of the verb."""

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
        """A field of the body, checked for its type. Raises BadStep."""
        value = self.body.get(name) if isinstance(self.body, dict) else None
        if value is None:
            return default
        # True is an int to Python, but not to the author of a script.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise BadStep(_WANTED[kind], f"{self.verb}.{name}", name=name)
        return value

    def needed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """A required field. Raises BadStep."""
        value = self.field(name, kind)
        if value is None:
            raise BadStep(gettext_noop("{name} is missing"), self.verb, name=name)
        return value

    def only(self, *names: str) -> None:
        """Refuse any other options, because ignoring them would change the meaning of the step. Raises BadStep."""
        for name in self.body if isinstance(self.body, dict) else ():
            if name not in names:
                message = gettext_noop('"{verb}" with "{option}" is not supported')
                raise BadStep(message, f"{self.verb}.{name}", verb=self.verb, option=str(name))

    def target(self) -> str:
        """The key of the pod named by ``pod``. Raises BadStep."""
        return f"{self.namespace}/{self.needed('pod', str)}"

    def duration(self, name: str) -> int | None:
        """A duration in ms, or None if it is left out. Raises BadStep."""
        given = self.field(name, (int, float, str))
        if given is None:
            return None
        length = duration_ms(given)
        if length is None:
            raise BadStep(gettext_noop("{name} must be a duration"), f"{self.verb}.{name}", name=name)
        return length

    def words(self, name: str) -> tuple[str, ...]:
        """A list of words. Raises BadStep."""
        words = self.field(name, list, [])
        if not all(isinstance(word, str) for word in words):
            raise BadStep(gettext_noop("{name} must be a list of words"), f"{self.verb}.{name}", name=name)
        return tuple(words)

    def quantities(self, name: str) -> dict[str, str]:
        """A map of quantities. Raises BadStep."""
        found = self.field(name, dict, {})
        if not all(isinstance(key, str) and is_quantity(value) for key, value in found.items()):
            raise BadStep(gettext_noop("{name} must be a map of quantities"), f"{self.verb}.{name}", name=name)
        return {key: str(value) for key, value in found.items()}

    def priorities(self, name: str) -> tuple[tuple[int, int], ...]:
        """A list of priority and seconds. Raises BadStep."""
        pairs = self.field(name, list, [])
        if not is_priority_list(pairs):
            raise BadStep(gettext_noop("{name} must be a list of priority and seconds"), f"{self.verb}.{name}", name=name)
        return priorities(pairs)

    def documents(self, text: Any, field: str = "") -> tuple[str, ...]:
        """The objects of a manifest as JSON texts; its problems are reported at their lines of the script. Raises BadStep
        if there is no text."""
        if not isinstance(text, str):
            raise BadStep(gettext_noop("{verb} takes the text of a manifest"), self.verb, verb=self.verb)
        # cluster=None: what a run contains at that step is not known while the script is read.
        checked = check_text(text, kubernetes=self.kubernetes, namespace=self.namespace, gates=self.gates, cluster=None)
        path = f"{self.path}.{self.verb}" + (f".{field}" if field else "")
        node = self.source.node_at(path)
        line = self.source.locate(path)[0] + (0 if node is not None and node.block else -1)
        moved = (replace(problem, line=max(1, line + problem.line), document=self.source.index) for problem in checked.problems)
        self.problems.extend(moved)
        return tuple(document.json for document in checked.documents) if checked.ok else ()
