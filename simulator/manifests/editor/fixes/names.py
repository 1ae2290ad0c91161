"""Fixes for names: not allowed, too long, taken, or referring to nothing."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from simulator.manifests.editor.fixes.fixers import fix, fixer
from simulator.manifests.editor.fixes.page import Fix, Page, split_path
from simulator.manifests.problems import Problem
from simulator.manifests.texts import _

_LABEL_MAX, _SUBDOMAIN_MAX, _PORT_MAX = 63, 253, 15


def as_label(text: str, *, length: int = _LABEL_MAX, dots: bool = False) -> str:
    """The nearest DNS label (subdomain with ``dots``); "" if nothing is left of the text."""
    kept = re.sub(r"[^a-z0-9.]+" if dots else r"[^a-z0-9]+", "-", text.lower())
    kept = re.sub(r"-*\.[-.]*", ".", kept)
    return kept[:length].strip("-.")


@fixer("dns-name", words=r"a (lowercase )?(RFC 1123|DNS-1035|DNS-1123)|must be no more than (63|253) (characters|bytes)")
def dns_name(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The nearest allowed name."""
    node = page.node(problem.path)
    if node is None or not node.text:
        return
    dots = "subdomain" in problem.message or "253" in problem.message
    name = as_label(node.text, length=_SUBDOMAIN_MAX if dots else _LABEL_MAX, dots=dots)
    if "DNS-1035" in problem.message:
        name = name.lstrip("0123456789-.")
    if name and name != node.text:
        yield fix(_("Use %s") % name, page.set_value(problem.path, name))


@fixer(
    "port-name", words=r"must be no more than 15 characters|must contain only alpha-numeric characters|must not contain consecutive hyphens"
)
def port_name(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A valid port name."""
    node = page.node(problem.path)
    if node is not None and node.text:
        name = as_label(node.text, length=_PORT_MAX)
        if re.search("[a-z]", name) and name != node.text:
            yield fix(_("Use %s") % name, page.set_value(problem.path, name))


@fixer("free-name", words=r"^Duplicate value: ")
def free_name(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The next free name in the list, or remove the second entry."""
    # The error may be at the item or at its name.
    path = problem.path if page.node(problem.path) is not None and not _is_item(page, problem.path) else f"{problem.path}.name"
    node = page.node(path)
    above = split_path(path)[0]
    if node is not None and node.text and split_path(path)[1] == "name":
        name = _free(node.text, _names(page, split_path(above)[0]))
        yield fix(_("Rename to %s") % name, page.set_value(path, name))
    elif node is not None and node.text and split_path(path)[1].isdecimal():
        yield fix(_("Remove the second %s") % node.text, page.remove(path))


@fixer("free-object-name", "already-exists")
def free_object_name(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Another name for the second object."""
    node = page.node("metadata.name")
    if node is not None and node.text:
        name = _free(node.text, [node.text])
        yield fix(_("Rename to %s") % name, page.set_value("metadata.name", name))


def _is_item(page: Page, path: str) -> bool:
    node = page.node(path)
    return node is not None and node.text is None


def _names(page: Page, path: str) -> list[str]:
    """The names of the items of a list."""
    node = page.node(path)
    found = (page.raw.step(item, "name") for item in (node.items or () if node is not None else ()))
    return [entry[1].text for entry in found if entry is not None and entry[1].text]


def _free(name: str, taken: list[str]) -> str:
    """The name with the first free number appended, within the length of a label."""
    # Leave room for a hyphen and three digits.
    stem = re.sub(r"-\d+$", "", name)[: _LABEL_MAX - 4]
    return next(text for n in range(2, len(taken) + 3) if (text := f"{stem}-{n}") not in taken)


@fixer("known-volume", words=r"^Not found: ")
def known_volume(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A mount of a volume that does not exist: use the volume that was meant, or add a new one."""
    match = re.match(r"(.*spec)\.(?:containers|initContainers|ephemeralContainers)\[\d+\]\.volumeMounts\[\d+\]\.name$", problem.path)
    node = page.node(problem.path)
    if match is None or node is None or not node.text:
        return
    names = _names(page, f"{match[1]}.volumes")
    for close in get_close_matches(node.text, [name for name in names if name != node.text], n=1, cutoff=0.5):
        yield fix(_("Use %s") % close, page.set_value(problem.path, close))
    # Only if there are no volumes yet: otherwise the right one was probably misspelt.
    if page.node(f"{match[1]}.volumes") is None and as_label(node.text) == node.text:
        volumes = [{"name": node.text, "emptyDir": {}}]
        yield fix(_("Add an emptyDir volume %s") % node.text, page.insert(match[1], "volumes", volumes))
