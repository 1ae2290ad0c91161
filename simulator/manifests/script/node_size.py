"""The size of a node on one line: ``cpu=8, memory=32Gi, pods=250``. Resources that are not named keep their usual size."""

import re
from collections.abc import Mapping

from simulator.engine.apiserver.wire.formats import is_quantity
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.model.quantity import milli
from simulator.manifests.texts import _

USUAL = {"cpu": "4", "memory": "16Gi", "ephemeral-storage": "100Gi", "pods": "110"}
_PODS_MAX = 10_000
_EXTENDED = re.compile(r"[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?/[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?")


class BadSize(ValueError):
    """A line that is not a valid size; the text says which resource is wrong and why."""


def read_size(text: str) -> dict[str, str]:
    """Quantities by resource, the usual ones where the line does not name them. Raises BadSize.

    Supported are cpu, memory, ephemeral-storage and pods, and extended resources such as ``example.com/gpu``.
    """
    found: dict[str, str] = {}
    # Separated by commas, whitespace, or both.
    for part in re.split(r"[,\s]+", text.strip()) if text.strip() else ():
        name, sign, quantity = part.partition("=")
        if not part:
            continue
        if not sign or not name:
            raise BadSize(_("%(part)s: write a resource and its quantity, as in cpu=8") % {"part": part[:60]})
        problem = _problem(name, quantity, found)
        if problem:
            raise BadSize(f"{name[:60]}: {problem}")
        found[name] = quantity
    return {**USUAL, **found}


def _problem(name: str, quantity: str, found: Mapping[str, str]) -> str:
    if name not in USUAL and not _EXTENDED.fullmatch(name):
        return _("a node has %(known)s, and extended resources such as example.com/gpu") % {"known": ", ".join(USUAL)}
    if name in found:
        return _("appears twice")
    if not is_quantity(quantity) or milli(quantity) < 0:
        return _("%(found)s is not a quantity such as 4, 500m or 16Gi") % {"found": quantity[:40] or '""'}
    if name == "pods" and whole_number(quantity, most=_PODS_MAX) is None:
        return _("a whole number up to %(most)d") % {"most": _PODS_MAX}
    return ""


def size_text(size: Mapping[str, str]) -> str:
    """The line for this size; empty for the usual one."""
    return ", ".join(f"{name}={quantity}" for name, quantity in size.items() if USUAL.get(name) != quantity)
