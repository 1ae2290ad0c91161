"""Commands that speak to the API server about objects: patch, delete many, delete a namespace, exec, debug."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.commands import DebugPod, DeleteNamespace, DeletePods, ExecInContainer, PatchPod
from simulator.engine.controllers.api_server import delete_collection, delete_pod
from simulator.engine.controllers.kubelet import execs
from simulator.engine.controllers.kubelet.user_execs import tell
from simulator.engine.controllers.refusal import Act, Refusal, live_pod, running
from simulator.engine.controllers.store.edits import Document, by_patch, minor_of_run
from simulator.engine.controllers.store.namespaces import deleting_namespace
from simulator.engine.controllers.store.pods import change_pod
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText(
        "COMMAND-REJECTED",
        gettext_noop("The API server does not accept the change: {message}"),
        "a command of the run",
    ),
    RuleText(
        "EPHEMERAL-ADDED",
        gettext_noop("An ephemeral container joins the running pod; it is never restarted and cannot be removed."),
        "pkg/registry/core/pod/rest/subresources.go EphemeralContainersREST",
    ),
)


def selected(fx: Effects, command: DeletePods) -> list[PodRow]:
    """The live pods of a namespace that a selector means, by name."""
    rows = [
        row
        for row in fx.tables.pods.values()
        if row.gone_ms is None
        and row.namespace == command.namespace
        and all(row.pod.metadata.labels.get(key) == value for key, value in command.selector.items())
    ]
    return sorted(rows, key=lambda row: row.name)


def _delete_pods(fx: Effects, command: DeletePods) -> Act:
    rows = selected(fx, command)
    if not rows:
        raise Refusal("COMMAND-NO-POD")
    grace = 0 if command.force else command.grace_s

    def act() -> None:
        if command.collection:
            delete_collection(fx, rows, grace)
            return
        cause = fx.cause
        for row in rows:
            fx.cause = cause
            delete_pod(fx, fx.tables.pods[row.key], grace)

    return act


def _patch(fx: Effects, command: PatchPod) -> Act:
    row = live_pod(fx, command.target)
    return change_pod(fx, row, by_patch(command.patch, command.kind, minor=minor_of_run(fx)), subresource=command.subresource)


def _exec(fx: Effects, command: ExecInContainer) -> Act:
    if not command.command:
        raise Refusal("COMMAND-BAD-VALUE", (("message", "you must specify at least one command for the container"),))
    instance, _ = running(fx, command.target, command.container)

    def act() -> None:
        row = replace(instance, seq=fx.cause)
        _, finished = execs.begin(fx, command.target, row, command.command, purpose="user")
        if finished is not None:
            tell(fx, command.target, instance.container, finished)

    return act


def _debug(fx: Effects, command: DebugPod) -> Act:
    row = live_pod(fx, command.target)
    entry: dict[str, Any] = {"name": command.container, "image": command.image}
    if command.command:
        entry["command"] = list(command.command)
    if command.target_container:
        entry["targetContainerName"] = command.target_container

    def edit(shown: Document) -> Document:
        held = shown["spec"].get("ephemeralContainers") or []
        return {**shown, "spec": {**shown["spec"], "ephemeralContainers": [*held, entry]}}

    return change_pod(fx, row, edit, subresource="ephemeralcontainers")


OBJECT_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    DeletePods: _delete_pods,
    DeleteNamespace: deleting_namespace,
    PatchPod: _patch,
    ExecInContainer: _exec,
    DebugPod: _debug,
}
