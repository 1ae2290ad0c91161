"""What the containers do after the import: the same as before, as far as status and Events show it.

If the simulator can work out what a program does from image and command, it is left to do so, unless the text
contradicts it. Anything else becomes a behaviour block, which the run shows and anyone may change.

The question is what happens next. An instance that ended by itself is expected to end again after the same time with
the same code; one that the kubelet stopped, or that was lost with its node, is not. Probes continue as the status and
the Unhealthy Events show. The simulator's own idea of a known image is tried out (up to 400 turns) and kept if it
agrees with the observed end within the slack.
"""

import re
from typing import Any

from msgspec import Struct

from simulator.engine import containers as behaviour
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.duration import go_duration
from simulator.engine.model.quantity import BadQuantity, value
from simulator.imports.lives import Life, LivedContainer
from simulator.imports.memory import failures_of
from simulator.imports.read import Event
from simulator.imports.texts import _

_TURNS_MAX = 400
_STATUS_CODE = re.compile(r"statuscode: (\d{3})")
_SLACK_MS: Ms = 2500
_LOST = ("Unknown", "ContainerStatusUnknown")
"""The reasons that runtime and kubelet give for a container whose end was not observed, as after a reboot of the node."""


class Assumed(Struct, frozen=True, kw_only=True):
    """What is assumed about a container. With ``block`` None, the simulator works it out from image and command."""

    container: str
    sentence: str
    block: dict[str, Any] | None = None


def assume(place: LivedContainer, lives: tuple[Life, ...], events: tuple[Event, ...], *, now_ms: Ms, was_ready: bool) -> Assumed:
    """The behaviour of one container from now on. ``was_ready`` means its newest instance has been ready. Costs up to 400 turns."""
    ending = _ending(place, lives, events, now_ms)
    if _is_understood(place, ending, lives, now_ms) and not _probe_contradicts(place):
        return Assumed(container=place.name, sentence=_("it behaves as its image and command say"))
    block: dict[str, Any] = {}
    sentence = _("it keeps running")
    if ending is not None and ending.reason == "OOMKilled":
        block["memory"] = _growth(place, ending)
        sentence = _("it uses more and more memory and is killed after %s, as before") % go_duration(ending.length_ms)
        if not block["memory"]:
            block = {"exit": {"after": f"{ending.length_ms}ms", "code": 137}}
    elif ending is not None:
        block["exit"] = {"after": f"{ending.length_ms}ms", "code": ending.exit_code % 256}
        words = {"after": go_duration(ending.length_ms), "code": ending.exit_code}
        sentence = _("it ends after %(after)s with exit code %(code)d, as before") % words
    probes = _probes(place, lives, block, was_ready=was_ready)
    on_term = _on_term(lives, place)
    if on_term is not None:
        block["onTerm"] = on_term
    return Assumed(container=place.name, sentence="; ".join([sentence, *probes]), block=block or {"exit": "never"})


def _ending(place: LivedContainer, lives: tuple[Life, ...], events: tuple[Event, ...], now_ms: Ms) -> Life | None:
    """The end that is expected again: that of the newest instance, or of the previous one until the newest has lived as long."""
    if not lives:
        return None
    newest = lives[-1]
    if newest.end_ms is not None:
        return None if _is_foreign(newest) else newest
    before = lives[-2] if len(lives) > 1 else None
    if before is None or before.end_ms is None or _is_foreign(before):
        return None
    # An instance that has outlived the previous one seems to be fine.
    return before if now_ms - newest.start_ms < before.length_ms + _SLACK_MS else None


def _is_foreign(life: Life) -> bool:
    """Whether the instance did not end by itself: the kubelet stopped it, it got a signal from outside, or it was lost with its node."""
    # 137 and 143 without OOMKilled: a signal from outside, in most cases a deletion.
    return life.stopped or life.reason in _LOST or (life.exit_code in (137, 143) and life.reason != "OOMKilled")


def _on_term(lives: tuple[Life, ...], place: LivedContainer) -> str | dict[str, Any] | None:
    """What TERM does to it: nothing if it had to be killed or still runs although it is being stopped; otherwise the same as last time."""
    stopped = [life for life in lives if life.stopped]
    if not stopped:
        is_stopping = bool(lives) and lives[-1].end_ms is None and any(event.last_ms > lives[-1].start_ms for event in place.of("Killing"))
        return "ignore" if is_stopping else None
    life = stopped[-1]
    if life.exit_code == 137:
        return "ignore"
    began = [at_ms for event in place.of("Killing") for at_ms in (event.first_ms, event.last_ms) if at_ms >= life.start_ms]
    took_ms = max((life.end_ms or 0) - max(began), 0) if began and "preStop" not in (place.spec.get("lifecycle") or {}) else 0
    return {"exit": life.exit_code % 256, "after": f"{took_ms}ms"}


def _growth(place: LivedContainer, ending: Life) -> list[dict[str, Any]]:
    """Memory that grows in a straight line to slightly more than the limit."""
    limit = ((place.spec.get("resources") or {}).get("limits") or {}).get("memory")
    try:
        size = value(str(limit)) if limit is not None else 0
    except BadQuantity:
        size = 0
    if not size:
        return []
    # Slightly more than the limit, so that the end comes just before the last point.
    return [{"at": "0s", "bytes": size // 4}, {"at": f"{max(ending.length_ms, SECOND)}ms", "bytes": size + size // 20 + 1}]


def _is_understood(place: LivedContainer, ending: Life | None, lives: tuple[Life, ...], now_ms: Ms) -> bool:
    """Whether the simulator's own idea of the program agrees with the text."""
    facts = behaviour.image_facts(str(place.spec.get("image") or ""))
    if not facts.known or not lives:
        return facts.known
    env = tuple((str(item["name"]), str(item["value"])) for item in place.spec.get("env") or () if "value" in item)
    ports = tuple(int(item.get("containerPort") or 0) for item in place.spec.get("ports") or ())
    command, args = (tuple(str(word) for word in place.spec.get(name) or ()) for name in ("command", "args"))
    limit = ((place.spec.get("resources") or {}).get("limits") or {}).get("memory")
    memory = value(str(limit)) if limit is not None else None
    launch = behaviour.Launch(
        image=str(place.spec.get("image")),
        command=command,
        args=args,
        env=env,
        ports=ports,
        instance=lives[-1].n,
        memory_limit_bytes=memory,
    )
    observed = ending.length_ms if ending is not None else now_ms - lives[-1].start_ms
    if ending is None and lives[-1].end_ms is not None:
        observed = lives[-1].length_ms
    code, after_ms = _tried(launch, observed + _SLACK_MS)
    if ending is None:
        return code is None or after_ms > observed - _SLACK_MS
    return code == ending.exit_code and abs(after_ms - ending.length_ms) <= _SLACK_MS


def _tried(launch: behaviour.Launch, until_ms: Ms) -> tuple[int | None, Ms]:
    """The program's exit code and lifetime on its own; None if it is still running then, -1 for a program that is not understood."""
    turn = behaviour.start(launch, behaviour.Host(now_ms=0))
    now = 0
    for _n in range(_TURNS_MAX):
        if turn.start_error:
            return turn.exit_code, 0
        if any(note.name == "command-not-understood" for note in turn.notes):
            return -1, 0
        if turn.exit_code is not None:
            return turn.exit_code, now
        if turn.wake_ms is None or turn.wake_ms > until_ms:
            return None, until_ms
        now = turn.wake_ms
        turn = behaviour.resume(turn.process, behaviour.Host(now_ms=now))
    return None, until_ms


def _probe_contradicts(place: LivedContainer) -> bool:
    """Whether a network probe failed, which the simulator's idea of an image cannot explain."""
    return any(isinstance(place.spec.get(f"{kind}Probe"), dict) and _is_network(place.spec[f"{kind}Probe"]) and failures_of(place, kind)
               for kind in ("startup", "liveness", "readiness"))  # fmt: skip


def _is_network(probe: dict[str, Any]) -> bool:
    return "exec" not in probe


def _probes(place: LivedContainer, lives: tuple[Life, ...], block: dict[str, Any], *, was_ready: bool) -> list[str]:
    """Write the answers to the container's probes into ``block``; returns sentences about them."""
    listens: dict[int, dict[str, Any]] = {}
    said: list[str] = []
    for item in place.spec.get("ports") or ():
        if isinstance(item.get("containerPort"), int):
            listens[item["containerPort"]] = {"port": item["containerPort"], "otherwise": 200}
    for kind in ("startup", "readiness", "liveness"):
        probe = place.spec.get(f"{kind}Probe")
        if isinstance(probe, dict):
            fails = _fails(place, kind, lives, was_ready=was_ready)
            if fails is not None:
                said.append(_("its %s probe keeps failing") % kind)
            _answer(probe, fails, place, listens, block)
    if listens:
        block["listens"] = list(listens.values())
    return said


class _Failing(Struct, frozen=True):
    """How a probe fails, and how long after the start it begins to."""

    output: str
    from_ms: Ms


def _fails(place: LivedContainer, kind: str, lives: tuple[Life, ...], *, was_ready: bool) -> _Failing | None:
    """How the probe keeps failing (not ready, not started, or killed by liveness again and again); None if it does not."""
    events = failures_of(place, kind)
    if not events or not lives:
        return None
    output = events[-1].message.partition(": ")[2]
    if kind == "readiness":
        is_fine = place.status.get("ready") is True or (was_ready and lives[-1].end_ms is not None)
        return None if is_fine else _Failing(output, 0)
    if kind == "startup":
        is_fine = place.status.get("started") is True or (was_ready and lives[-1].end_ms is not None)
        return None if is_fine else _Failing(output, 0)
    stopped = [life for life in lives if life.stopped]
    probe = place.spec[f"{kind}Probe"]
    needed, period = int(probe.get("failureThreshold") or 3), int(probe.get("periodSeconds") or 10) * SECOND
    if stopped:
        first = min(event.first_ms for event in events)
        began = max((life.start_ms for life in lives if life.start_ms <= first), default=first)
        # Half a period before the first failure that was seen: it may have begun at any time since the previous
        # attempt.
        return _Failing(output, max(first - began - period // 2, 0))
    recent = events[-1].last_ms >= lives[-1].start_ms and sum(event.count for event in events) >= needed
    return _Failing(output, 0) if recent and len(lives) > 1 else None


def _answer(
    probe: dict[str, Any], fails: _Failing | None, place: LivedContainer, listens: dict[int, dict[str, Any]], block: dict[str, Any]
) -> None:
    action = next((name for name in ("httpGet", "tcpSocket", "grpc", "exec") if isinstance(probe.get(name), dict)), "")
    if action == "exec":
        line = " ".join(str(word) for word in probe["exec"].get("command") or ())
        good: list[dict[str, Any]] = [{"from": "0s", "status": 0}]
        if fails is not None:
            bad = {"from": f"{fails.from_ms}ms", "status": 1, "output": fails.output[:200]}
            good = [bad] if not fails.from_ms else [*good, bad]
        block.setdefault("exec", {})[line] = good
        return
    port = _port(probe.get(action) or {}, place)
    if port is None:
        return
    # Nothing listens: the port is removed from the block.
    if fails is not None and (action == "tcpSocket" or "refused" in fails.output):
        listens.pop(port, None)
        return
    listen = listens.setdefault(port, {"port": port, "otherwise": 200})
    if action == "httpGet":
        path = str(probe["httpGet"].get("path") or "/")
        _answer_http(listen, path.partition("?")[0], probe, fails)
    elif action == "grpc":
        service = str(probe["grpc"].get("service") or "")
        listen.pop("otherwise", None)
        listen.setdefault("grpc", {})[service] = "NOT_SERVING" if fails is not None else "SERVING"


def _answer_http(listen: dict[str, Any], path: str, probe: dict[str, Any], fails: _Failing | None) -> None:
    paths = listen.setdefault("paths", {})
    if fails is None:
        paths.setdefault(path, 200)
        return
    match = _STATUS_CODE.search(fails.output)
    bad: dict[str, Any] = {"from": f"{fails.from_ms}ms", "status": int(match[1]) if match else 500}
    if "deadline exceeded" in fails.output or "Timeout" in fails.output:
        # The answer came too late: give the same answer, a second later than the probe waits.
        bad = {"from": bad["from"], "status": 200, "delay": f"{int(probe.get('timeoutSeconds') or 1) + 1}s"}
    paths[path] = [bad] if not fails.from_ms else [{"from": "0s", "status": 200}, bad]


def _port(action: dict[str, Any], place: LivedContainer) -> int | None:
    port = action.get("port")
    if isinstance(port, int):
        return port
    named = (item for item in place.spec.get("ports") or () if item.get("name") == port)
    return next((int(item["containerPort"]) for item in named), None)
