"""A manifest in the node's static pod folder."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either, the_node
from simulator.engine.acts.form import NAME, NODE, Form, Values, is_needed
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.answer import invalid_object
from simulator.engine.apiserver.cut_off import at_node
from simulator.engine.apiserver.refusal import Doing, Refusal, refusal_of
from simulator.engine.apiserver.validation import validate_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.json_text import decode
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kubelet.pods.static import static_pods
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.projection.model_run import NodeView
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import StaticPod
from simulator.engine.world.world import World


class PlaceStaticPod(Command, frozen=True, kw_only=True, tag="static_pod"):
    """Put a manifest (JSON text of a Pod) into a node's static pod folder, replacing one of its name, or remove that named ``remove``."""

    node: str
    document: str = ""
    remove: str = ""
    namespace: str = "default"


def _static_pod(fx: Effects, command: PlaceStaticPod) -> Doing:
    node = command.node
    if node not in fx.tables.nodes:
        raise Refusal("COMMAND-NO-NODE")
    if command.remove:
        held = next((item for item in fx.tables.static_pods.values() if _is_named(item, node, command.remove) and item.has_file), None)
        if held is None:
            raise Refusal("COMMAND-NO-POD")
        return lambda: static_pods.take_away(at_node(fx, node), held)
    try:
        document = decode(command.document)
        pod_from_document(document, namespace=command.namespace)
        name, space = str(document["metadata"]["name"]), str(document["metadata"].get("namespace") or command.namespace)
    except (KeyError, TypeError):
        raise Refusal("COMMAND-BAD-OBJECT", (("message", "metadata.name: Required value"),)) from None
    except (ValueError, BadManifest) as error:
        raise Refusal("COMMAND-BAD-OBJECT", (("message", str(error)),)) from None
    # The kubelet validates the manifest itself; no API server has seen it.
    judged = {**document, "metadata": {"namespace": space, **document["metadata"]}}
    problems = [error for rule, error in validate_pod(judged, release=fx.world.release) if not rule.warning]
    if problems:
        raise refusal_of(invalid_object("Pod", name, problems))
    there = fx.tables.static_pods.get((node, space, name))
    # The mirror pod is named after the pod and the node; that name must be free.
    if there is None and fx.world.live_pod(space, f"{name}-{node}") is not None:
        raise Refusal("COMMAND-EXISTS", (("message", f'pods "{name}-{node}" already exists'),))
    static_pods.check(fx, node, document, command.namespace)
    if there is not None:
        return lambda: static_pods.replace_manifest(fx, there, document)
    return lambda: static_pods.place(fx, node, document, command.namespace)


def _is_named(item: StaticPod, node: str, name: str) -> bool:
    return item.node == node and name in (item.name, f"{item.name}-{node}")


def _make(values: Values) -> PlaceStaticPod:
    return PlaceStaticPod(node=values["node"], remove=values["name"])


def _offers(world: World, node: NodeView) -> Iterator[Offer]:
    """Remove a manifest from the folder; adding one is up to the editor."""
    for name in node.static_pods:
        yield Offer(
            key=f"{node.name}-static-{name}",
            place="static",
            given={"node": node.name, "name": name},
            buttons=button(gettext_noop("Remove {name}"), name=name),
            kubectl=f"rm /etc/kubernetes/manifests/{name}.yaml",
            is_destructive=True,
        )


def _read(step: StepReader) -> Iterator[PlaceStaticPod]:
    node, remove, manifest = step.needed("node", str), step.field("remove", str, ""), step.field("manifest", str, "")
    if bool(remove) == bool(manifest):
        raise BadStep(gettext_noop("static-pod takes either manifest or remove"), "static-pod")
    if remove:
        yield PlaceStaticPod(node=node, remove=remove, namespace=step.namespace)
        return
    for document in step.documents(manifest, "manifest"):
        yield PlaceStaticPod(node=node, document=document, namespace=step.namespace)


PLACE_STATIC_POD = Act(
    command=PlaceStaticPod,
    handler=_static_pod,
    subject=the_node,
    sentence=Either("remove", gettext_noop("Remove static pod {remove} from {node}"), gettext_noop("Place a static pod on {node}")),
    headline=gettext_noop("You changed the static pods of node {node}"),
    form=Form((NODE, is_needed(NAME)), _make),
    offers=Offers(node=_offers),
    verbs=(
        Verb(
            "static-pod",
            "adds a manifest to the kubelet's static pod directory, or removes one",
            _read,
            needs=("node", ("manifest", "remove")),
        ),
    ),
)
