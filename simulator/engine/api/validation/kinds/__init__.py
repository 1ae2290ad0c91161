"""Whether the API server would accept an object of the kinds besides Pod, and a change of one.

Source: pkg/apis/{core,apps,batch,policy,scheduling,node}/validation. Documents have passed the structural check.
"""

from collections.abc import Callable, Iterable, Iterator

from simulator.engine.api.kinds import KINDS
from simulator.engine.api.validation.errors import FieldError
from simulator.engine.api.validation.kinds.registry import KIND_RULES, UPDATE_RULES, KindRule, run_rules, run_update_rules
from simulator.engine.api.validation.registry import Fields, Place, Rule, fields, text

__all__ = ["KIND_RULES", "UPDATE_RULES", "KindRule", "pod_template", "validate_kind", "validate_kind_update"]

AnyRule = Rule | KindRule
PodCheck = Callable[[Fields], Iterable[tuple[Rule, FieldError]]]
"""The rules of pods, for the templates inside workloads."""
_NOT_FOR_TEMPLATES = frozenset({"IMAGE-WHITESPACE", "EPHEMERAL-ON-CREATE"})
"""Rules that only pods have."""


def validate_kind(document: Fields, *, minor: int, pod_check: PodCheck) -> Iterator[tuple[AnyRule, FieldError]]:
    """The errors (and warnings: ``rule.warning``) of a new object that is no Pod. Cost: O(document)."""
    kind = text(document, "kind")
    yield from run_rules(kind, Place("", document), minor=minor)
    template = pod_template(document)
    if template is not None:
        yield from _template_errors(template, KINDS[kind].template, pod_check)


def validate_kind_update(old: Fields, new: Fields, *, minor: int) -> Iterator[FieldError]:
    """What the rules of the kind say of a change, the new object's own rules aside."""
    yield from run_update_rules(text(new, "kind"), Place("", old), Place("", new), minor=minor)


def pod_template(document: Fields) -> Fields | None:
    """The pod template inside a workload, or None."""
    info = KINDS.get(text(document, "kind"))
    if info is None or not info.template:
        return None
    *path, last = info.template.split(".")
    value = document
    for step in path:
        value = fields(value, step)
    template = value.get(last)
    return template if isinstance(template, dict) else None


def _template_errors(template: Fields, path: str, pod_check: PodCheck) -> Iterator[tuple[Rule, FieldError]]:
    pod = {**template, "metadata": {**fields(template, "metadata"), "name": "template"}}
    for rule, error in pod_check(pod):
        if rule.id not in _NOT_FOR_TEMPLATES:
            field = error.field.removeprefix("metadata.") if error.field.startswith("metadata.") else error.field
            yield rule, FieldError(type=error.type, field=f"{path}.{field}", detail=error.detail, value=error.value)
