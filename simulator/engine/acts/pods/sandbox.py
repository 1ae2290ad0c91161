"""The pod's sandbox is killed from outside."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import TARGET, Form
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.pods.target import target_pod
from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.sandbox import sandbox_death
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class KillSandbox(Command, frozen=True, kw_only=True, tag="kill_sandbox"):
    """Kill the pod's sandbox (the pause process) from outside."""

    target: Key


def _kill_sandbox(fx: Effects, command: KillSandbox) -> Doing:
    # A pod that never existed has no sandbox either: one refusal for both.
    pod = target_pod(fx, command.target) if command.target in fx.tables.pods else command.target
    sandbox = fx.tables.sandboxes.get(pod)
    if pod not in fx.tables.pods or sandbox is None or sandbox.state != "ready":
        raise Refusal("COMMAND-NO-SANDBOX")
    return lambda: sandbox_death.sandbox_died(fx, pod)


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    is_ready = pod.sandbox is not None and pod.sandbox.state == "ready"
    yield Offer(
        key=f"{pod.key}-sandbox",
        place="debug",
        given={"target": pod.key},
        buttons=button(gettext_noop("Kill sandbox")),
        help=Text(gettext_noop("The pause process dies: all containers die with it, and the pod gets a new sandbox and address.")),
        is_destructive=True,
        why_not="" if is_ready else "COMMAND-NO-SANDBOX",
        fires=("SANDBOX-DIED",),
    )


KILL_SANDBOX = Act(
    command=KillSandbox,
    handler=_kill_sandbox,
    subject=the_pod,
    sentence=gettext_noop("Kill the sandbox of {target}"),
    headline=gettext_noop("You killed the sandbox of pod {pod}"),
    icon="skull",
    form=Form((TARGET,)),
    offers=Offers(pod=_offer),
    no_verb="the verb signal with sandbox, as recorded scripts write it",
    rules=(RuleText("COMMAND-NO-SANDBOX", gettext_noop("The pod has no running sandbox at this moment."), "a command of the run"),),
)
