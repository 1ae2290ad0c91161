"""DELETE of a namespace: it is marked, accepts nothing new from then on, and its controller empties it.

Source: plugin/pkg/admission/namespace/lifecycle; pkg/registry/core/namespace.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.documents.implied import namespaces
from simulator.engine.apiserver.kind_answers import forbidden_answer, missing_answer
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.objects import mark_object
from simulator.engine.kernel.ids import object_uid
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.kinds import IMMORTAL_NAMESPACES, KINDS
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject

RULES = (
    RuleText(
        "NAMESPACE-TERMINATING",
        gettext_noop("The namespace is being deleted: nothing new can be created in it, and its pods are deleted a few seconds later."),
        "pkg/controller/namespace; observed on a 1.20.2 node",
        sure="recording",
    ),
)


def deleting_namespace(fx: Effects, name: str) -> Doing:
    """Check the deletion; the act marks the namespace. Raises ApiError."""
    if name in IMMORTAL_NAMESPACES:
        raise forbidden_answer(KINDS["Namespace"], name, "this namespace may not be deleted")
    if name not in namespaces(fx.world):
        raise missing_answer(KINDS["Namespace"], name)
    return lambda: _terminate(fx, name)


def _terminate(fx: Effects, name: str) -> None:
    """Mark a namespace as terminating, even one that was never created."""
    held = fx.tables.objects.get(("Namespace", "", name))
    if held is not None and held.deletion_ms is not None:
        return
    document: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    if held is None:
        # A namespace that is only implied gets an object now, to carry the deletion.
        held = ApiObject("Namespace", "", name, "", 0, object_uid(fx.world.header.seed, "Namespace", name))
    else:
        document = json.loads(held.document)
    text = json.dumps({**document, "status": {"phase": "Terminating"}}, ensure_ascii=False)
    mark_object(fx, replace(held, document=text), rule="NAMESPACE-TERMINATING")
