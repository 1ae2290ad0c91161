"""``kubectl delete pods --all`` or ``-l``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either, the_run
from simulator.engine.acts.form import NAMESPACE, Form, is_needed
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.apiserver.pods import delete_collection, delete_pod
from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.model import PodView
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World


class DeletePods(Command, frozen=True, kw_only=True, tag="delete_pods"):
    """``kubectl delete pods --all`` or ``-l``; ``collection`` is one DELETE of the collection, as sent by a namespace deletion."""

    namespace: str
    selector: dict[str, str] = {}
    collection: bool = False
    grace_s: int | None = None
    force: bool = False


def _selected(fx: Effects, command: DeletePods) -> list[PodRow]:
    """The live pods of a namespace that match a selector, by name."""
    rows = [
        row
        for row in fx.tables.pods.values()
        if row.gone_ms is None
        and row.namespace == command.namespace
        and all(row.pod.metadata.labels.get(key) == value for key, value in command.selector.items())
    ]
    return sorted(rows, key=lambda row: row.name)


def _delete_pods(fx: Effects, command: DeletePods) -> Doing:
    rows = _selected(fx, command)
    if not rows:
        raise Refusal("COMMAND-NO-POD")
    grace = 0 if command.force else command.grace_s

    def act() -> None:
        # One request for all, whose items share their options in some versions.
        if command.collection:
            delete_collection(fx, rows, grace)
            return
        for row in fx.each(rows):
            # Read again: deleting the previous pods may have changed this one.
            delete_pod(fx, fx.tables.pods[row.key], grace)

    return act


def _labels(command: DeletePods) -> Data:
    """The selector as in kubectl's option, if there is one."""
    return (("selector", ",".join(f"{key}={text}" for key, text in command.selector.items())),) if command.selector else ()


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    if pod.is_present:
        yield Offer(
            key=f"namespace-{pod.namespace}-pods",
            place="namespace",
            given={"namespace": pod.namespace},
            buttons=button(gettext_noop("Delete all pods")),
            kubectl=f"kubectl delete pods --all --namespace={pod.namespace}",
            is_destructive=True,
        )


DELETE_PODS = Act(
    command=DeletePods,
    handler=_delete_pods,
    subject=the_run,
    sentence=Either(
        "selector",
        gettext_noop("Delete the pods in namespace {namespace} with labels {selector}"),
        gettext_noop("Delete all pods in namespace {namespace}"),
    ),
    headline=Either(
        "selector",
        gettext_noop("You deleted the pods in namespace {namespace} with labels {selector}"),
        gettext_noop("You deleted all pods in namespace {namespace}"),
    ),
    values=_labels,
    details=_labels,
    omitted=("selector",),
    icon="trash",
    form=Form((is_needed(NAMESPACE),)),
    offers=Offers(pod=_offer),
    no_verb="the verb delete, beside the deletion of any object",
)
