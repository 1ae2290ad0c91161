"""The objects of a text that were left out of its run: shown on the run's page, because nothing else would mention them."""

from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.catalog import catalog, minor_in
from simulator.engine.versions.release import release_of
from simulator.manifests.check.kinds import KnownKinds, defined_kinds, kind_findings
from simulator.manifests.read.loader import load
from simulator.manifests.read.nodes import MANIFEST_LIMITS


class LeftOut(Struct, frozen=True, kw_only=True):
    """Objects of one kind and version that were left out: their names ("" for one without a name), and the reason."""

    api_version: str
    kind: str
    names: tuple[str, ...]
    message: str


def left_out(text: str, *, kubernetes: str) -> tuple[LeftOut, ...]:
    """The objects of a manifest that the version does not have or that are not simulated, by kind, in the order of the text.

    Never raises because of anything in the text. Cost: reading the text, about 10 µs a line.
    """
    values = [raw.value for raw in load(text, limits=MANIFEST_LIMITS).documents]
    minor = minor_in(kubernetes)
    known = KnownKinds(catalog=catalog(minor), release=release_of(minor, None), defined=defined_kinds(values))
    names: dict[tuple[str, str, str], list[str]] = {}
    for value in values:
        found = next(kind_findings(value, known), None)
        # Any other finding is an error, and a text with errors has no run.
        if found is not None and found.path == "kind":
            names.setdefault((value["apiVersion"], value["kind"], found.message), []).append(_name(value))
    return tuple(
        LeftOut(api_version=version, kind=kind, names=tuple(held), message=message) for (version, kind, message), held in names.items()
    )


def _name(value: dict[str, Any]) -> str:
    metadata = value.get("metadata")
    return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""
