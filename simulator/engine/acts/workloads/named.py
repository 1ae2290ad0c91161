"""How acts on workloads name their object: in commands, in scripts, on a page."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.acts.form import NAME, NAMESPACE, FormField, is_needed
from simulator.engine.acts.offer import in_namespace
from simulator.engine.acts.script import BadStep, StepReader
from simulator.engine.acts.step_names import kind_named
from simulator.engine.apiserver.kind_answers import find_object
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.model.kinds import KINDS
from simulator.engine.workloads.objects import parsed
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject, World, object_subject

OBJECT_FIELDS = (FormField("kind", limit=63, is_needed=True), NAMESPACE, is_needed(NAME))
"""The fields of a form that name an object."""


def the_workload(command: Any) -> Subject:
    """The object that a command names."""
    return object_subject(command.kind, command.namespace, command.name)


def workload(fx: Effects, command: Any, kinds: tuple[str, ...]) -> ApiObject:
    """The object that a command names, if it is of one of these kinds. Raises Refusal, ApiError (404)."""
    if command.kind not in kinds:
        raise refused(f"{KINDS[command.kind].plural if command.kind in KINDS else command.kind} are none of {', '.join(kinds)}")
    return find_object(fx, command.kind, command.namespace, command.name)


# These texts come from kubectl: the API server never sees the request.
def refused(message: str) -> Refusal:
    """A refusal by kubectl itself, in its words."""
    return Refusal("COMMAND-REJECTED", (("message", message),))


def shown_workload(world: World, kind: str, namespace: str, name: str) -> Json | None:
    """The document of an object that exists and is not being deleted."""
    row = world.tables.objects.get((kind, namespace, name))
    return parsed(row) if row is not None and row.deletion_ms is None else None


def line_of(verb: str, kind: str, namespace: str, name: str, more: str = "") -> str:
    """``kubectl VERB deployment/web --namespace=team MORE``."""
    return f"kubectl {verb} {KINDS[kind].singular}/{name}{in_namespace(namespace)}{more}"


def read_names(step: StepReader, kinds: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The objects that a step names with ``kind`` (default: the first of these) and ``name``. Raises BadStep."""
    info = kind_named(step, step.field("kind", str, kinds[0]))
    if info.kind not in kinds:
        raise BadStep(gettext_noop('"{verb}" of kind "{kind}" is not supported'), f"{step.verb}.kind", verb=step.verb, kind=info.kind)
    yield {"kind": info.kind, "namespace": step.namespace, "name": step.needed("name", str)}
