"""``kubectl delete pod``.

kubectl turns its flags into the grace period of one DELETE before it sends anything: without flags the
pod's own, ``--now`` is 1, ``--grace-period=0`` alone is sent as 1, and only together with
``--force`` as 0, which removes the object at once. The command stores flags, not their outcome, so
that a run can show the command line that was meant.
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either, the_pod
from simulator.engine.acts.form import GRACE_S, SWITCH, TARGET, Form, FormField
from simulator.engine.acts.offer import DEADLINE, Input, Offer, Offers, button, gone, in_namespace
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.refusal import Doing, live_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class DeletePod(Command, frozen=True, kw_only=True, tag="delete_pod"):
    """``kubectl delete pod``. ``grace_s`` None takes the pod's own grace period; ``force`` is --force --grace-period=0."""

    target: Key
    grace_s: int | None = None
    force: bool = False


def _delete(fx: Effects, command: DeletePod) -> Doing:
    row = live_pod(fx, command.target)
    grace = 0 if command.force else command.grace_s
    if grace == 0 and not command.force:
        grace = 1  # kubectl sends --grace-period=0 without --force as 1
    return lambda: delete_pod(fx, row, grace)


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    """The four ways to delete a pod: as its spec says, now, with a grace period, by force."""
    kubectl = f"kubectl delete pod {pod.name}{in_namespace(pod.namespace)}"
    own = gettext_noop("The pod’s own grace period: {seconds} s. TERM first, KILL when it is over.")
    given: dict[str, str | int] = {"target": pod.key}
    yield Offer(
        key=f"{pod.key}-delete",
        place="pod",
        given=given,
        buttons=button(gettext_noop("Delete pod")),
        kubectl=kubectl,
        help=Text(own, (("seconds", pod.grace_s),)),
        is_destructive=True,
        why_not=gone(pod),
    )
    yield Offer(
        key=f"{pod.key}-now",
        place="pod-more",
        given={**given, "grace_s": 1},
        buttons=button(gettext_noop("Delete pod with a 1 s grace period")),
        kubectl=f"{kubectl} --now",
        help=Text(gettext_noop("TERM, then KILL one or two seconds later.")),
        is_destructive=True,
        why_not=gone(pod),
    )
    yield Offer(
        key=f"{pod.key}-grace",
        place="pod-more",
        given=given,
        buttons=button(gettext_noop("Delete pod with grace period")),
        kubectl=f"{kubectl} --grace-period={{grace_s}}",
        inputs=(Input("grace_s", Text(gettext_noop("Grace period in seconds")), 10, unit="s", maximum=GRACE_S.maximum),),
        is_destructive=True,
        why_not=gone(pod),
        handle=DEADLINE,
        fires=("STOP-REQUESTED", "STOP-TERM", "STOP-KILL", "WORKER-DELETION"),
    )
    yield Offer(
        key=f"{pod.key}-force",
        place="pod-more",
        given={**given, "grace_s": 0, "force": "on"},
        buttons=button(gettext_noop("Force delete pod")),
        kubectl=f"{kubectl} --grace-period=0 --force",
        help=Text(gettext_noop("The object goes at once; the process on the node may outlive it.")),
        is_destructive=True,
        why_not=gone(pod),
    )


DELETE_POD = Act(
    command=DeletePod,
    handler=_delete,
    subject=the_pod,
    sentence=Either("force", gettext_noop("Force delete {target}"), gettext_noop("Delete {target}")),
    headline=Either("force", gettext_noop("You force deleted pod {pod}"), gettext_noop("You deleted pod {pod}")),
    icon="trash",
    form=Form((TARGET, GRACE_S, FormField("force", SWITCH))),
    offers=Offers(pod=_offer),
    no_verb="the verb delete, beside the deletion of any object",
)
