"""The eviction of a pod: a deletion that disruption budgets may forbid."""

import json
from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import GRACE_S, TARGET, Form
from simulator.engine.acts.offer import Offer, Offers, button, gone
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.acts.step_names import names_of
from simulator.engine.apiserver.answer import bad_request
from simulator.engine.apiserver.refusal import Doing, live_pod
from simulator.engine.apiserver.store.evictions import evicting
from simulator.engine.apiserver.store.pods import nothing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class EvictPod(Command, frozen=True, kw_only=True, tag="evict"):
    """POST to the eviction subresource: a deletion that disruption budgets may forbid. ``grace_s`` None uses the pod's own.

    ``eviction`` is the name in the request's Eviction object if it differs from the pod's name in the URL.
    """

    target: Key
    grace_s: int | None = None
    dry_run: bool = False
    eviction: str = ""


def _evict(fx: Effects, command: EvictPod) -> Doing:
    row = live_pod(fx, command.target)
    # A key may end in "#2", which is not part of the pod's name.
    if command.eviction and command.eviction != command.target.rpartition("/")[2].partition("#")[0]:
        raise bad_request("name in URL does not match name in Eviction object")
    act = evicting(fx, row, command.grace_s)
    return nothing if command.dry_run else act


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    """Whether a budget forbids it is up to the API server."""
    metadata = {"name": pod.name, "namespace": pod.namespace}
    body = json.dumps({"apiVersion": pod.eviction_version, "kind": "Eviction", "metadata": metadata})
    yield Offer(
        key=f"{pod.key}-evict",
        place="pod-more",
        given={"target": pod.key},
        buttons=button(gettext_noop("Evict pod")),
        kubectl=f"echo '{body}' | kubectl create --raw /api/v1/namespaces/{pod.namespace}/pods/{pod.name}/eviction -f -",
        help=Text(gettext_noop("What kubectl drain sends: a deletion that PodDisruptionBudgets may forbid.")),
        is_destructive=True,
        why_not=gone(pod),
    )


def _read(step: StepReader) -> Iterator[EvictPod]:
    if step.field("kind", str, "Pod") != "Pod":
        raise BadStep(gettext_noop('"{verb}" of kind "{kind}" is not supported'), "evict.kind", verb="evict", kind=step.field("kind", str))
    several = step.field("names", list) is not None or step.field("first", (bool, int))
    names = names_of(step) if several else [step.needed("pod", str)]
    for name in names:
        yield EvictPod(
            target=f"{step.namespace}/{name}", grace_s=step.field("gracePeriodSeconds", int), eviction=step.field("eviction", str, "")
        )


EVICT_POD = Act(
    command=EvictPod,
    handler=_evict,
    subject=the_pod,
    sentence=gettext_noop("Evict {target}"),
    headline=gettext_noop("You asked the API server to evict pod {pod}"),
    omitted_if_empty=("dry_run", "eviction"),
    icon="exit",
    form=Form((TARGET, GRACE_S)),
    offers=Offers(pod=_offer),
    verbs=(
        Verb(
            "evict",
            "requests the eviction of pods, which disruption budgets may refuse",
            _read,
            needs=(("pod", "names", "first"),),
            may=("kind", "gracePeriodSeconds", "eviction the name of the Eviction object, if it differs"),
        ),
    ),
)
