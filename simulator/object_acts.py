"""What a user can ask of the API server and the runtime about a pod beside deleting it: change, run, debug, sandbox, namespace."""

import json
from collections.abc import Sequence

from django.utils.translation import gettext as _

from simulator.acts import Act, Button, Input, in_namespace
from simulator.engine.api.kinds import IMMORTAL_NAMESPACES, KINDS

DEBUG_IMAGE = "busybox:1.36"
PROPAGATION = ("background", "foreground", "orphan")
STATUSES = [(name, name) for name in ("True", "False", "Unknown")]


def change_acts(*, key: str, namespace: str, name: str, gates: tuple[str, ...] = ()) -> list[Act]:
    """Changes of a pod's metadata, deadline and status. ``gates`` are the condition types of its readiness gates."""
    base: dict[str, str | int] = {"do": "patch_pod", "target": key}
    where = in_namespace(namespace)
    patch = f"kubectl patch pod {name}{where}"
    condition = Input("name", _("Condition type"), gates[0] if gates else "example.com/ready")
    return [
        Act(
            f"{key}-label",
            {**base, "change": "label"},
            (Button(_("Set label")),),
            f"kubectl label pod {name}{where} --overwrite {{name}}={{value}}",
            _("An empty value removes the label. Selectors of Services and controllers notice at once."),
            inputs=(Input("name", _("Label"), "tier"), Input("value", _("Value"), "debug")),
        ),
        Act(
            f"{key}-annotation",
            {**base, "change": "annotation"},
            (Button(_("Set annotation")),),
            f"kubectl annotate pod {name}{where} --overwrite {{name}}={{value}}",
            _("An empty value removes the annotation."),
            inputs=(Input("name", _("Annotation"), "example.com/note"), Input("value", _("Value"), "seen")),
        ),
        Act(
            f"{key}-condition",
            {**base, "change": "condition"},
            (Button(_("Set condition")),),
            f'{patch} --subresource=status -p \'{{"status":{{"conditions":[{{"type":"{{name}}","status":"{{status}}"}}]}}}}\'',
            _("What the controller behind a readiness gate does."),
            inputs=(condition, Input("status", _("Status"), "True", choices=STATUSES)),
        ),
        Act(
            f"{key}-finalizers",
            {**base, "change": "finalizers"},
            (Button(_("Set finalizers")),),
            f'{patch} --type=merge -p \'{{"metadata":{{"finalizers":["{{value}}"]}}}}\'',
            _("While one is left, a deleted pod stays. Empty removes them all."),
            inputs=(Input("value", _("Finalizers"), "example.com/hold"),),
        ),
        Act(
            f"{key}-deadline",
            {**base, "change": "deadline"},
            (Button(_("Set deadline")),),
            f'{patch} --type=merge -p \'{{"spec":{{"activeDeadlineSeconds":{{seconds}}}}}}\'',
            _("activeDeadlineSeconds counts from the pod’s start time."),
            inputs=(Input("seconds", _("Seconds"), 60, unit="s", minimum=1, maximum=10_000_000),),
        ),
    ]


def evict_act(*, key: str, namespace: str, name: str, group_version: str) -> Act:
    """Ask the eviction subresource to let the pod go; ``group_version`` is that of the Eviction kind."""
    body = {"apiVersion": group_version, "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
    return Act(
        f"{key}-evict",
        {"do": "evict", "target": key},
        (Button(_("Evict pod")),),
        f"echo '{json.dumps(body)}' | kubectl create --raw /api/v1/namespaces/{namespace}/pods/{name}/eviction -f -",
        _("What kubectl drain sends: a deletion that PodDisruptionBudgets may forbid."),
        is_destructive=True,
    )


def bind_act(*, key: str, namespace: str, name: str, nodes: Sequence[str]) -> Act:
    """Give a pod without a node one of ``nodes``, as a scheduler does."""
    target = '"target":{"apiVersion":"v1","kind":"Node","name":"{node}"}'
    body = f'{{"apiVersion":"v1","kind":"Binding","metadata":{{"name":"{name}","namespace":"{namespace}"}},{target}}}'
    return Act(
        f"{key}-bind",
        {"do": "bind", "target": key},
        (Button(_("Bind to node")),),
        f"echo '{body}' | kubectl create --raw /api/v1/namespaces/{namespace}/pods/{name}/binding -f -",
        _("A scheduler’s last step. Nobody looks at taints or room; the node’s kubelet admits the pod or not."),
        inputs=(Input("node", _("Node"), nodes[0], choices=[(node, node) for node in nodes]),),
    )


def gate_act(*, key: str, namespace: str, name: str) -> Act:
    """Let a gated pod be scheduled."""
    fields: dict[str, str | int] = {"do": "remove_scheduling_gates", "target": key}
    line = f'kubectl patch pod {name}{in_namespace(namespace)} --type=merge -p \'{{"spec":{{"schedulingGates":null}}}}\''
    return Act(f"{key}-gates", fields, (Button(_("Remove scheduling gates")),), line, _("The scheduler looks at the pod now."))


def debug_act(*, key: str, namespace: str, name: str, container: str, targets: tuple[str, ...]) -> Act:
    """Add an ephemeral container named ``container`` that sees the processes of one of ``targets``."""
    where = in_namespace(namespace)
    return Act(
        f"{key}-debug",
        {"do": "debug_pod", "target": key, "container": container},
        (Button(_("Add debug container")),),
        f"kubectl debug {name}{where} --container={container} --image={{image}} --target={{target_container}} -- {{words}}",
        _("An ephemeral container: no probes, no restarts, and it stays until the pod goes."),
        inputs=(
            Input("image", _("Image"), DEBUG_IMAGE),
            Input("target_container", _("Sees the processes of"), targets[0], choices=[(item, item) for item in targets]),
            Input("words", _("Command"), "sleep 60"),
        ),
    )


def sandbox_act(*, key: str) -> Act:
    """Kill the pause process."""
    return Act(
        f"{key}-sandbox",
        {"do": "kill_sandbox", "target": key},
        (Button(_("Kill sandbox")),),
        help=_("The pause process dies: all containers go with it, and the pod gets a new sandbox and address."),
        is_destructive=True,
    )


def namespace_acts(*, namespace: str) -> list[Act]:
    """Delete all pods of a namespace, or the namespace itself where the API server lets it go."""
    fields: dict[str, str | int] = {"namespace": namespace}
    acts = [
        Act(
            f"namespace-{namespace}-pods",
            {"do": "delete_pods", **fields},
            (Button(_("Delete all pods")),),
            f"kubectl delete pods --all --namespace={namespace}",
            is_destructive=True,
        ),
        Act(
            f"namespace-{namespace}",
            {"do": "delete_namespace", **fields},
            (Button(_("Delete namespace")),),
            f"kubectl delete namespace {namespace}",
            _("A few seconds later everything in it is deleted, and nothing new may be created."),
            is_destructive=True,
        ),
    ]
    return acts[: 1 if namespace in IMMORTAL_NAMESPACES else 2]


def object_act(*, kind: str, namespace: str, name: str) -> Act:
    """Delete an object that is not a pod; what it owns goes with it or stays, as the policy says."""
    resource = KINDS[kind].resource if kind in KINDS else kind.lower()
    where = in_namespace(namespace) if namespace else ""
    return Act(
        f"object-{kind}-{namespace}-{name}",
        {"do": "delete", "kind": kind, "namespace": namespace, "name": name},
        (Button(_("Delete %(kind)s") % {"kind": kind}),),
        f"kubectl delete {resource} {name}{where} --cascade={{propagation}}",
        inputs=(Input("propagation", _("Dependents"), "background", choices=[(item, item) for item in PROPAGATION]),),
        is_destructive=True,
    )


def exec_act(*, key: str, namespace: str, name: str, container: str) -> Act:
    """Run a command in a container."""
    line = f"kubectl exec {name}{in_namespace(namespace)} --container={container} -- {{words}}"
    fields: dict[str, str | int] = {"do": "exec", "target": key, "container": container}
    help_text = _("Its output appears as a note of the run and on the timeline.")
    words = Input("words", _("Command"), "ls /")
    return Act(f"{key}-{container}-exec", fields, (Button(_("Run command")),), line, help_text, inputs=(words,))


def image_change_act(*, key: str, namespace: str, name: str, container: str, group: str, image: str) -> Act:
    """Give a container another image; the kubelet restarts it."""
    return Act(
        f"{key}-{container}-image",
        {"do": "patch_pod", "change": "image", "target": key, "container": container, "group": group},
        (Button(_("Change image")),),
        f"kubectl set image pod/{name}{in_namespace(namespace)} {container}={{image}}",
        _("The image is one of the few fields that may change in a running pod: the kubelet ends this container and starts it anew."),
        inputs=(Input("image", _("Image"), image),),
    )


def resize_act(*, key: str, namespace: str, name: str, container: str, requests: dict[str, str], limits: dict[str, str]) -> Act:
    """Change a container's cpu and memory while it runs; empty fields stay as they are."""
    wanted = '{"requests":{"cpu":"{cpu_request}","memory":"{memory_request}"},"limits":{"cpu":"{cpu_limit}","memory":"{memory_limit}"}}'
    body = f'{{"spec":{{"containers":[{{"name":"{container}","resources":{wanted}}}]}}}}'
    given = {"request": requests, "limit": limits}
    labels = {"request": _("%(resource)s request"), "limit": _("%(resource)s limit")}
    inputs = tuple(
        Input(f"{resource}_{place}", labels[place] % {"resource": resource}, given[place].get(resource, ""))
        for place in given
        for resource in ("cpu", "memory")
    )
    return Act(
        f"{key}-{container}-resize",
        {"do": "resize_pod", "target": key, "container": container},
        (Button(_("Resize container")),),
        f"kubectl patch pod {name}{in_namespace(namespace)} --subresource=resize -p '{body}'",
        _("The pod stays; resizePolicy decides whether the container restarts. The QoS class may not change."),
        inputs=inputs,
    )
