"""``kubectl delete namespace``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_run
from simulator.engine.acts.form import NAMESPACE, Form, Values, is_needed
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.namespace_deletion import deleting_namespace
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.model.kinds import IMMORTAL_NAMESPACES
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class DeleteNamespace(Command, frozen=True, kw_only=True, tag="delete_namespace"):
    """``kubectl delete namespace``: a few seconds later everything in it is deleted."""

    name: str


def _delete_namespace(fx: Effects, command: DeleteNamespace) -> Doing:
    return deleting_namespace(fx, command.name)


def _make(values: Values) -> DeleteNamespace:
    return DeleteNamespace(name=values["namespace"])


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    # Not offered if the API server would always refuse it.
    if pod.is_present and pod.namespace not in IMMORTAL_NAMESPACES:
        yield Offer(
            key=f"namespace-{pod.namespace}",
            place="namespace",
            given={"namespace": pod.namespace},
            buttons=button(gettext_noop("Delete namespace")),
            kubectl=f"kubectl delete namespace {pod.namespace}",
            help=Text(gettext_noop("A few seconds later everything in it is deleted, and nothing new can be created.")),
            is_destructive=True,
        )


DELETE_NAMESPACE = Act(
    command=DeleteNamespace,
    handler=_delete_namespace,
    subject=the_run,
    sentence=gettext_noop("Delete namespace {name}"),
    headline=gettext_noop("You deleted namespace {name}"),
    icon="trash",
    form=Form((is_needed(NAMESPACE),), _make),
    offers=Offers(pod=_offer),
    no_verb="the verb delete, beside the deletion of any object",
)
