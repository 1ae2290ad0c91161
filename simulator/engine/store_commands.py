"""Commands that are requests to the API server about any object: evict, patch, replace, delete, bind."""

from simulator.engine.command_base import Command
from simulator.engine.units import Key


class EvictPod(Command, frozen=True, kw_only=True, tag="evict"):
    """POST to the eviction subresource: a deletion that disruption budgets may forbid. ``grace_s`` None takes the pod's own.

    ``eviction`` is the name in the Eviction object of the request where it is another than the pod's in the address.
    """

    target: Key
    grace_s: int | None = None
    dry_run: bool = False
    eviction: str = ""


class PatchObject(Command, frozen=True, kw_only=True, tag="patch"):
    """PATCH an object: ``patch`` is JSON text, ``patch_kind`` strategic, merge or json; objects without a namespace leave it empty.

    ``subresource``: empty, status, ephemeralcontainers or resize (the last two of pods).
    """

    kind: str
    namespace: str = ""
    name: str
    patch: str
    patch_kind: str = "strategic"
    subresource: str = ""
    dry_run: bool = False


class ReplaceObject(Command, frozen=True, kw_only=True, tag="replace"):
    """PUT an object (JSON text) in the place of the stored one; with its resourceVersion only where that is still the newest."""

    document: str
    namespace: str = "default"
    subresource: str = ""
    dry_run: bool = False


class DeleteObject(Command, frozen=True, kw_only=True, tag="delete"):
    """DELETE an object with options. ``propagation``: Background, Foreground, Orphan or empty (what the kind does by default).

    ``uid`` and ``resource_version`` are preconditions where they are not empty. Without a ``name`` it means every object of the kind
    in the namespace that ``selector`` selects, as ``kubectl delete -l`` or ``--all``.
    """

    kind: str
    namespace: str = ""
    name: str = ""
    selector: str = ""
    grace_s: int | None = None
    propagation: str = ""
    uid: str = ""
    resource_version: str = ""
    dry_run: bool = False


class BindPod(Command, frozen=True, kw_only=True, tag="bind"):
    """POST to the binding subresource: give a pod a node, as a scheduler does. Nobody checks that there is such a node."""

    target: Key
    node: str
