"""Fixes for fields that are unknown, missing or not allowed, and for apiVersion and kind."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.manifests.editor.fixes.fixers import fix, fixer
from simulator.manifests.editor.fixes.page import Fix, Page, split_path
from simulator.manifests.problems import Problem
from simulator.manifests.read.values import to_value
from simulator.manifests.texts import _

_CONTAINER = {"name": "app", "image": "nginx:1.27"}
_TEMPLATES: dict[str, Any] = {
    "name": "app",
    "image": "nginx:1.27",
    "containers": [_CONTAINER],
    "containerPort": 80,
    "port": 80,
    "mountPath": "/data",
    "path": "/data",
    "key": "key",
    "command": ["true"],
    "seconds": 5,
    "conditionType": "example.com/ready",
    "schedule": "*/5 * * * *",
    "value": 1000,
    "restartPolicy": "Never",
    "accessModes": ["ReadWriteOnce"],
    "fieldPath": "metadata.name",
    "resource": "limits.cpu",
    "operator": "Exists",
    "topologyKey": "kubernetes.io/hostname",
    "maxSkew": 1,
    "whenUnsatisfiable": "ScheduleAnyway",
    "action": "Restart",
    "serviceName": "web",
    "claimName": "data",
    "ip": "127.0.0.1",
}
"""Starting values for fields of which only the name is known."""
_APP = {"app": "web"}


@fixer("rename-field", "unknown-field")
def rename_field(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The field that was probably meant."""
    if problem.hint and problem.hint not in page.siblings(problem.path):
        yield fix(_("Rename to %s") % problem.hint, page.rename(problem.path, problem.hint))


@fixer("remove-field", "unknown-field")
def remove_field(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Remove an unknown field."""
    yield fix(_("Remove %s") % split_path(problem.path)[1], page.remove(problem.path))


@fixer("remove-forbidden", words=r"^Forbidden: |: must not be set |: must be unset ")
def remove_forbidden(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Remove a field that must not be set; one that an existing object has is restored instead."""
    # A top-level field is never the one to remove.
    if "." in problem.path and not (problem.code == "update-refused" and problem.hint):
        yield fix(_("Remove %s") % split_path(problem.path)[1], page.remove(problem.path))


@fixer("insert-field", words=r"^Required value")
def insert_field(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A missing field with a value to start from."""
    parent, name = split_path(problem.path)
    if not name or name.isdecimal():
        return
    value = _value_for(name, problem, page)
    if value is None:
        return
    title = _("Insert %s") % (name if isinstance(value, dict | list) else f"{name}: {value}")
    if page.node(problem.path) is None:
        yield fix(title, page.insert(parent, name, value))
    elif not isinstance(value, dict | list):
        yield fix(title, page.set_value(problem.path, str(value)))


def _value_for(name: str, problem: Problem, page: Page) -> Any:
    """A value for a missing field; None if there is no sensible one."""
    if name == "metadata":
        return {"name": "web"}
    if name == "selector":
        return {"matchLabels": _labels(page) or _APP} if _kind(page) != "Service" else None
    if name == "template":
        return {"metadata": {"labels": _APP}, "spec": {"containers": [_CONTAINER]}}
    if name == "spec":
        return _spec(page)
    if name == "name" and ".volumeMounts[" in problem.path:
        return next((text for text in _volumes(page)), None)
    if name == "name" and problem.path == "metadata.name":
        return "web"
    return _TEMPLATES.get(name)


def _spec(page: Page) -> Any:
    kind = _kind(page)
    if kind == "Pod":
        return {"containers": [_CONTAINER]}
    if kind == "Service":
        return {"ports": [{"port": 80}], "selector": _APP}
    return None


def _kind(page: Page) -> str:
    return page.written("kind").strip("\"'")


def _volumes(page: Page) -> list[str]:
    value = page.raw.value
    spec = value.get("spec") if isinstance(value, dict) else None
    volumes = spec.get("volumes") if isinstance(spec, dict) else None
    return [str(item["name"]) for item in volumes or () if isinstance(item, dict) and item.get("name")]


def _labels(page: Page) -> Any:
    node = page.node("spec.template.metadata.labels")
    return to_value(node) if node is not None and node.entries else None


@fixer("selector-labels", words=r"`selector` does not match template `labels`")
def selector_labels(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The labels that the selector requires."""
    node = page.node("spec.selector.matchLabels") or page.node("spec.selector")
    wanted = to_value(node) if node is not None and node.entries else None
    if not isinstance(wanted, dict):
        return
    labels = "spec.template.metadata.labels"
    held = _labels(page)
    title = _("Add the selector’s labels to the template")
    if held is None:
        yield fix(title, page.insert("spec.template.metadata", "labels", wanted))
        return
    # The template follows the selector, which cannot be changed in a stored object.
    inserted = (page.insert(labels, key, value) for key, value in wanted.items() if key not in held)
    written = (page.set_value(f"{labels}[{key}]", str(value)) for key, value in wanted.items() if held.get(key, value) != value)
    yield fix(title, *inserted, *written)


@fixer("put-back", "update-refused")
def put_back(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The value that the object has."""
    if problem.hint and "\n" not in problem.hint:
        yield fix(_("Restore %s") % problem.hint, page.set_value(problem.path, problem.hint))


@fixer("api-version", "unknown-kind")
def api_version(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The apiVersion in which the version has the kind."""
    kind = _kind(page)
    versions = catalog(page.minor).api_versions(kind)
    if page.written("apiVersion").strip("\"'") in versions:
        return
    for version in versions[:2]:
        yield fix(_("Use apiVersion %s") % version, page.set_value("apiVersion", version))


@fixer("kind-name", "unknown-kind")
def kind_name(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A kind with a similar name."""
    known = catalog(page.minor)
    kind = _kind(page)
    if known.api_versions(kind):
        return
    names = {name.split(" ")[1].lower(): name.split(" ")[1] for name in (*known.others, *known.schemas)}
    for close in get_close_matches(kind.lower().removesuffix("s"), names, n=1, cutoff=0.7):
        right = names[close]
        changes = [page.set_value("kind", right)]
        versions = known.api_versions(right)
        if versions and page.written("apiVersion").strip("\"'") not in versions:
            changes.append(page.set_value("apiVersion", versions[0]))
        yield fix(_("Use kind %s") % right, *changes)


@fixer("insert-api-version", words=r"^apiVersion not set")
def insert_api_version(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The apiVersion of the kind."""
    versions = catalog(page.minor).api_versions(_kind(page))
    if versions and page.node("apiVersion") is None:
        yield fix(_("Insert %s") % f"apiVersion: {versions[0]}", page.insert("", "apiVersion", versions[0]))


@fixer("insert-kind", words=r"^kind not set")
def insert_kind(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Pod, if the spec has containers."""
    if page.node("kind") is None and page.node("spec.containers") is not None:
        yield fix(_("Insert %s") % "kind: Pod", page.insert("", "kind", "Pod"))
