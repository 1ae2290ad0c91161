"""The registry of effects: each rule looks at one change to one kind of object.

The preview has applied the change to a fork, so a rule has the object and the world before and after, and compares
them. It describes in a sentence what the change leads to, at once or later: which container restarts, which Service
loses the pod, which pod a taint evicts. Rules do not advance the world: what they say follows from the objects.

``tone`` is good, warn, bad or info, for the page; ``rule`` is a stable name.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine.apiserver.validation.pod_rules import Fields, fields
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from simulator.manifests.editor.preview.live import LiveObject
from simulator.manifests.editor.preview.outcome import Effect

_KEPT_MAX = 5


class Change(Struct, frozen=True, kw_only=True):
    """An object before (None: it is new) and after a change, with both worlds."""

    old: LiveObject | None
    new: LiveObject
    before: World
    after: World

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.new.kind

    @property
    def was(self) -> Fields:
        """The editable document before; empty for a new object."""
        return self.old.editable if self.old is not None else {}

    @property
    def now(self) -> Fields:
        """The editable document after."""
        return self.new.editable

    def spec(self, document: Fields) -> Fields:
        """The spec of a document."""
        return fields(document, "spec")

    def labels(self, document: Fields) -> dict[str, Any]:
        """The labels of a document."""
        return fields(fields(document, "metadata"), "labels")

    def row(self) -> PodRow | None:
        """The row before the change of the pod that the object is."""
        return self.before.live_pod(self.new.namespace, self.new.name)

    def pods(self) -> list[PodRow]:
        """The pods in the object's namespace after the change."""
        return [row for row in self.after.tables.pods.values() if row.gone_ms is None and row.namespace == self.new.namespace]


def kept_by_apply(old: Fields, new: Fields, wanted: Fields) -> tuple[Effect, ...]:
    """Labels and annotations that the text leaves out but that stay: apply only removes what it set itself."""
    found = []
    for name in ("labels", "annotations"):
        before, after, said = (fields(fields(document, "metadata"), name) for document in (old, new, wanted))
        kept = [key for key in before if key in after and key not in said]
        if kept:
            words = ", ".join(kept[:_KEPT_MAX])
            message = _("keeps %s, which kubectl apply did not set: remove it with kubectl label or kubectl annotate") % words
            found.append(Effect(text=message, rule="apply-keeps", path=f"metadata.{name}"))
    return tuple(found)


def removed() -> Effect:
    """The end of an object that was being deleted, when the text leaves out its last finalizer."""
    message = _("the object is removed: its last finalizer is gone")
    return Effect(text=message, rule="finalizers-gone", path="metadata.finalizers", tone="warn")


Rule = Callable[[Change], Iterable[Effect]]
RULES: list[tuple[tuple[str, ...], Rule]] = []


def effect(*kinds: str) -> Callable[[Rule], Rule]:
    """Register the decorated function for changes to objects of these kinds."""

    def register(rule: Rule) -> Rule:
        RULES.append((kinds, rule))
        return rule

    return register


def effects_of(change: Change) -> tuple[Effect, ...]:
    """All effects of the change. O(objects in the namespace)."""
    return tuple(found for kinds, rule in RULES if change.kind in kinds for found in rule(change))
