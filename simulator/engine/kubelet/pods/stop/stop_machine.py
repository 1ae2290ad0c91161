"""Stopping one container: preStop hook, stop signal, the rest of the grace period, KILL.

The grace period is one budget, and the machine tracks what is left of it. The hook runs first and
its time is deducted from the budget, in whole seconds; the process gets the rest, never less than two
seconds. Three things advance a stop: its step ends (hook_ended, turn_came, exited), its alarm goes off
(time_up), or what was stopping the container is gone (forgotten). Each step sets the alarm again.

* pre_stop: the hook runs. Whether it ends or its time is up, the stop signal follows.
* turn: from 1.28 on a sidecar waits here for the app containers and later sidecars. Its own
  grace period runs meanwhile, and when that is over it waits no longer.
* term: the signal is sent. The process may end by itself, or time_up sends KILL.
* killed: only the end of the process is still awaited, which the runtime reports.

The order of a state's rows is the order in which the kubelet checks: hook before turn, since a sidecar
runs its hook while it waits; no time at all before anything that takes some.

Versions: until 1.27 a grace period passed down by the kubelet (since 1.22 that of every deletion) counts
from the end of the hook, so that hook and process get it twice (``apart``). Only 1.20 and 1.21 kill
without a signal when an eviction leaves no time. A stop in progress is lost with the kubelet or the
runtime (STOP-FORGOTTEN): the container keeps running, and a later stop begins with the full period.

Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer, kuberuntime_termination_order.go.
"""

from msgspec import Struct

from simulator.engine.kernel.machine import Machine, Row, State, StateField, imported
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.rows import Instance

_SOURCE = "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer"
_OVERRIDE_LAST = "kubernetes issues 117373 and 117798; pull request 115835 (1.28); kuberuntime_container.go killContainer before it"


class StopFacts(Struct, frozen=True, gc=False):
    """What decides the first step of a stop."""

    has_hook: bool = False
    grace_ms: int = 0
    must_wait: bool = False  # a sidecar whose turn has not come
    at_once: bool = False  # an eviction leaves no time at all (1.20)
    apart: bool = False  # the grace period counts from the end of the hook (until 1.27)


def has_hook_and_grace(facts: StopFacts) -> bool:
    """The container has a preStop hook and there is grace period left to run it in."""
    return facts.has_hook and facts.grace_ms > 0


def has_hook_apart(facts: StopFacts) -> bool:
    """There is a preStop hook to run, whose time is not taken from what the process gets."""
    return facts.apart and has_hook_and_grace(facts)


def counts_apart(facts: StopFacts) -> bool:
    """The time that the process gets counts from the end of the hook."""
    return facts.apart


def must_wait_for_turn(facts: StopFacts) -> bool:
    """A sidecar is stopped only after the app containers and later sidecars."""
    return facts.must_wait and facts.grace_ms > 0


def has_no_time(facts: StopFacts) -> bool:
    """The kubelet gives the process no time at all."""
    return facts.at_once


STOP: Machine[StopFacts] = Machine(
    "stop",
    about=gettext_noop("Stopping one container within its grace period."),
    initial="alive",
    fields=(
        StateField(
            Instance,
            "state",
            lambda pod, instance: f"container/{pod}/{instance.container}",
            lambda fx, pod, instance: fx.save_instance(pod, instance),
            inner="stop",
        ),
    ),
    states=(
        State("alive", gettext_noop("Alive"), "ready"),
        State("pre_stop", gettext_noop("preStop running"), "terminating"),
        State("turn", gettext_noop("Waiting its turn"), "terminating"),
        State("term", gettext_noop("Stop signal sent"), "terminating"),
        State("killed", gettext_noop("KILL sent"), "failed"),
        State("stopped", gettext_noop("Stopped"), "absent", terminal=True),
    ),
    rows=(
        *(Row(state, "forgotten", "alive", "STOP-FORGOTTEN") for state in ("pre_stop", "turn", "term")),
        Row("alive", "stop", "pre_stop", "STOP-HOOK-APART", when=has_hook_apart, do="run_hook", unless="grace_override_before_hook"),
        Row("alive", "stop", "pre_stop", "STOP-HOOK", when=has_hook_and_grace, do="run_hook"),
        Row("alive", "stop", "killed", "STOP-AT-ONCE", when=has_no_time, do="send_kill", unless="pod_worker_states"),
        Row("alive", "stop", "turn", "STOP-TURN", when=must_wait_for_turn, do="wait_for_turn", gate="sidecar_containers"),
        Row("alive", "stop", "term", "STOP-TERM", do="send_term"),
        Row("pre_stop", "hook_ended", "killed", "STOP-AT-ONCE", when=has_no_time, do="send_kill", unless="pod_worker_states"),
        Row("pre_stop", "hook_ended", "term", "STOP-TERM-AGAIN", when=counts_apart, do="send_term", unless="grace_override_before_hook"),
        Row("pre_stop", "hook_ended", "turn", "STOP-TURN", when=must_wait_for_turn, do="wait_for_turn", gate="sidecar_containers"),
        Row("pre_stop", "hook_ended", "term", "STOP-TERM-AFTER-HOOK", do="send_term"),
        Row("pre_stop", "time_up", "killed", "STOP-AT-ONCE", when=has_no_time, do="send_kill", unless="pod_worker_states"),
        Row("pre_stop", "time_up", "term", "STOP-OVERRUN-AGAIN", when=counts_apart, do="send_term", unless="grace_override_before_hook"),
        Row("pre_stop", "time_up", "term", "STOP-HOOK-OVERRUN", do="send_term"),
        Row("pre_stop", "exited", "stopped", "STOP-DONE"),
        Row("turn", "turn_came", "term", "STOP-TURN-CAME", do="send_term"),
        Row("turn", "time_up", "term", "STOP-TURN-OVERRUN", do="send_term"),
        Row("turn", "exited", "stopped", "STOP-DONE"),
        Row("term", "time_up", "killed", "STOP-KILL", do="send_kill"),
        Row("term", "exited", "stopped", "STOP-DONE"),
        Row("killed", "exited", "stopped", "STOP-DONE"),
        imported("alive", "term"),
    ),
)

RULES = (
    RuleText(
        "STOP-HOOK",
        gettext_noop("The preStop hook runs first; its time counts against the grace period of {grace_s} s."),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
    ),
    RuleText(
        "STOP-HOOK-APART",
        gettext_noop("The preStop hook runs first, for at most {grace_s} s; its time is not deducted from the process’s own."),
        _OVERRIDE_LAST,
        "1.0",
        "1.27",
    ),
    RuleText(
        "STOP-TERM-AGAIN",
        gettext_noop(
            "The preStop hook has finished; the runtime sent {signal}, and the process gets {left_s} s, however long the hook took."
        ),
        _OVERRIDE_LAST,
        "1.0",
        "1.27",
    ),
    RuleText(
        "STOP-OVERRUN-AGAIN",
        gettext_noop(
            "The preStop hook used up the grace period; the process gets {signal} and another {left_s} s, as if there had been no hook."
        ),
        _OVERRIDE_LAST,
        "1.0",
        "1.27",
    ),
    RuleText("STOP-TERM", gettext_noop("The runtime sent {signal} to the main process; it has {left_s} s to exit."), _SOURCE),
    RuleText(
        "STOP-TERM-AFTER-HOOK",
        gettext_noop("The preStop hook has finished; the runtime sent {signal}, and {left_s} s of the grace period are left."),
        _SOURCE,
    ),
    RuleText(
        "STOP-HOOK-OVERRUN",
        gettext_noop("The preStop hook used up the grace period; the process gets {signal} and the minimum of {left_s} s."),
        _SOURCE,
    ),
    RuleText(
        "STOP-TURN",
        gettext_noop("A sidecar outlives the app containers: its stop signal waits until they and the sidecars after it have ended."),
        "pkg/kubelet/kuberuntime/kuberuntime_termination_order.go",
        "1.28",
    ),
    RuleText(
        "STOP-TURN-CAME",
        gettext_noop("It is the sidecar’s turn: the runtime sent {signal}, and {left_s} s of the grace period are left."),
        "pkg/kubelet/kuberuntime/kuberuntime_termination_order.go",
        "1.28",
    ),
    RuleText(
        "STOP-TURN-OVERRUN",
        gettext_noop("The grace period ended before the sidecar’s turn came; it now gets {signal} and {left_s} s."),
        "pkg/kubelet/kuberuntime/kuberuntime_termination_order.go",
        "1.28",
    ),
    RuleText(
        "STOP-KILL",
        gettext_noop("The grace period is over and the process is still running: the kernel kills it (KILL, exit code 137)."),
        "the runtime's StopContainer",
    ),
    RuleText(
        "STOP-AT-ONCE",
        gettext_noop("The eviction gives the process no time: it is killed without a stop signal (KILL, exit code 137)."),
        "observed on a 1.20.2 node; pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer of 1.20",
        "1.0",
        "1.21",
        sure="recording",
    ),
    RuleText("STOP-DONE", gettext_noop("The container has stopped."), _SOURCE),
)
