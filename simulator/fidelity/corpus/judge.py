"""Whether what the documentation says about an example holds in its run."""

import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.store.unacted import WITHOUT_CONTROLLER
from simulator.engine.kernel.errors import EngineError
from simulator.fidelity.corpus.compare import COMPARE, by_amount
from simulator.fidelity.corpus.facts import FACTS, Look, NotThere, pod_of, unread
from simulator.fidelity.corpus.index import Corpus, Example, Promise
from simulator.fidelity.corpus.order import in_that_order
from simulator.fidelity.corpus.played import MOMENTS, NoMoment, Played
from simulator.fidelity.corpus.setting import COMMANDS, set_up

QUANTITIES = frozenset({"container_resources", "effective_request", "limitrange_defaults", "quota_used"})
"""Facts whose values are quantities, which are equal in any notation."""
_AMOUNT = re.compile(r"\b(resources|allocatedResources|requests|limits|hard|used|capacity|storage)\b")
RELIST_MS = 1000
_OF_TWO = ("same_as", "changed", "unchanged")
"""Comparisons with another value of the run."""
_IMPLIES = "implies"
"""A promise that only applies if a container runs longer than that many seconds."""
_MODES = ("at", "eventually", "always", "end")
_CHANGES = ("status_column", "phase", "restarts")


class Verdict(Struct, frozen=True, kw_only=True):
    """The result for an expectation. ``outcome`` is held, failed or left_out; ``reason`` says why it did not hold."""

    id: str
    outcome: str
    reason: str = ""
    hard: bool = True


def judge_example(corpus: Corpus, example: Example) -> list[Verdict]:
    """Run an example and judge every statement about it."""
    try:
        setting = set_up(corpus, example)
        played = None if setting.problems else Played(corpus, example, setting)
    except (EngineError, OSError, KeyError) as error:
        return [_verdict(item, "failed", f"the example does not run: {error}") for item in example.expectations]
    return [_judge(example, item, played, setting.problems) for item in example.expectations]


def _verdict(item: Promise, outcome: str, reason: str = "") -> Verdict:
    return Verdict(id=item.id, outcome=outcome, reason=reason, hard=item.hard)


def _misread(example: Example, item: Promise) -> str:
    """What cannot be interpreted in an expectation or the steps before it, so that a verdict would be about something
    else; empty if nothing."""
    for step in example.steps:
        if step.do not in COMMANDS:
            return f"{step.do} is not a command"
        if step.t0 not in ("created", "started", *(f"action:{other.id}" for other in example.steps)):
            return f"{step.t0} is not a moment that a step can count from"
    if item.t0 not in (*MOMENTS, *(f"action:{step.id}" for step in example.steps)):
        return f"{item.t0} is not a moment"
    if item.mode not in _MODES:
        return f"{item.mode} is not a mode"
    keys = unread(item)
    return f"{item.what} does not read {', '.join(keys)} of its selector" if keys else ""


def _judge(example: Example, item: Promise, played: Played | None, problems: tuple[str, ...]) -> Verdict:
    if problem := _misread(example, item):
        return _verdict(item, "failed", problem)
    if item.what == "rejected":
        return _judge_refusal(example, item, played, problems)
    if _needs_controller(example, item):
        return _verdict(item, "left_out", "needs a controller")
    if item.op not in (*COMPARE, *_OF_TWO, _IMPLIES):
        return _verdict(item, "failed", f"{item.op} is not a comparison that can be judged")
    if played is None:
        return _verdict(item, "failed", f"the manifest is refused: {problems[0].splitlines()[0]}")
    step = item.t0.partition(":")[2]
    if item.what == "eviction" and step in played.answers:
        code, said = played.answers[step], played.unable.get(step, "")
        is_so = COMPARE[item.op](code, item.value) and re.search(str(item.selected("message") or ""), said) is not None
        return _verdict(item, "held") if is_so else _verdict(item, "failed", f"found {code} {said}".rstrip())
    if step in played.unable:
        return _verdict(item, "failed", played.unable[step])
    if item.what == "order":
        held = in_that_order(played.records, item.value)
        return _verdict(item, "held" if held else "failed", "" if held else "another order")
    if item.what not in FACTS:
        return _verdict(item, "failed", f"{item.what} is not modelled")
    return _judge_fact(item, played)


def _needs_controller(example: Example, item: Promise) -> bool:
    """Whether the expectation is about pods that no controller of a run creates: for the example, or for a step before its moment."""
    origin_s = next((step.at_s for step in example.steps if f"action:{step.id}" == item.t0), 0)
    until_s = origin_s + (item.window[1] if item.window else item.at_s)
    created = {str((step.object or {}).get("kind")) for step in example.steps if step.at_s <= until_s}
    return bool(WITHOUT_CONTROLLER & {*example.kinds, *created})


def _judge_refusal(example: Example, item: Promise, played: Played | None, problems: tuple[str, ...]) -> Verdict:
    texts = list(problems)
    if played is not None:
        texts += [str(record.get("message")) for record in played.records if record.machine == "command" and record.target == "refused"]
    if any(COMPARE["matches"](text, item.value) for text in texts):
        return _verdict(item, "held")
    if not texts and WITHOUT_CONTROLLER.intersection(example.kinds):
        return _verdict(item, "left_out", "validation of a kind that a controller acts on")
    return _verdict(item, "failed", f"accepted, or refused for another reason: {texts[:1]}")


def _judge_fact(item: Promise, played: Played) -> Verdict:
    if item.op == _IMPLIES:
        if _longest_run_ms(played) <= item.value["if_runtime_s_gt"] * 1000:
            return _verdict(item, "held")
        item = replace(item, op="eq", value="True", selector=item.value["then"])
    try:
        origin_ms = played.origin_ms(item)
    except NoMoment as problem:
        return _verdict(item, "failed", str(problem))
    if item.window is None:
        found = _at(item, played, origin_ms + round(item.at_s * 1000))
        return _verdict(item, "held") if found[0] else _verdict(item, "failed", f"found {found[1]!r}"[:300])
    first_ms, last_ms = (origin_ms + round(moment * 1000) for moment in item.window)
    seen: list[str] = []
    for moment in played.moments(first_ms, last_ms):
        held, value = _at(item, played, moment)
        if held and item.mode != "always":
            return _not_before(item, played, first_ms, origin_ms)
        if not held and item.mode == "always":
            return _verdict(item, "failed", f"found {value!r} at {(moment - origin_ms) / 1000} s"[:300])
        if not seen or seen[-1] != repr(value):
            seen.append(repr(value))
    return _verdict(item, "held") if item.mode == "always" else _verdict(item, "failed", f"never; found {', '.join(seen)}"[:300])


def _longest_run_ms(played: Played) -> int:
    """The longest time that any container ran in the whole run."""
    began: dict[str, int] = {}
    longest = 0
    for record in played.records:
        if record.machine == "container" and record.target == "running":
            began[record.subject] = record.at_ms
        elif record.machine == "container" and record.subject in began:
            longest = max(longest, record.at_ms - began[record.subject])
    return longest


def _not_before(item: Promise, played: Played, first_ms: int, origin_ms: int) -> Verdict:
    """A change must come inside its window, not before it; a difference of one second, the kubelet's relist period, is tolerated."""
    early_ms = first_ms - RELIST_MS
    if item.what in _CHANGES and item.op == "eq" and early_ms > origin_ms and _at(item, played, early_ms)[0]:
        return _verdict(item, "failed", "it held before the window began")
    return _verdict(item, "held")


def _at(item: Promise, played: Played, moment_ms: int) -> tuple[bool, Any]:
    """Whether the fact holds at a moment, and what was found."""
    look = Look(world=played.world_at(moment_ms), records=played.records, own=played.own)
    try:
        found = FACTS[item.what](look, item)
        if item.op == "same_as":
            return _is_same_as(look, item, found), found
        if item.op in _OF_TWO:
            return (found == _before(item, played)) is (item.op == "unchanged"), _short(found)
        return _compared(item, found), _short(found)
    except NotThere as problem:
        return item.op == "absent", str(problem)


def _compared(item: Promise, found: Any) -> bool:
    wanted = item.value
    if item.what in QUANTITIES or _AMOUNT.search(str(item.selected("path") or "")):
        found, wanted = by_amount(found), by_amount(wanted)
    try:
        return COMPARE[item.op](found, wanted)
    except (TypeError, IndexError):  # the comparison does not apply to the value found or the value wanted
        return False


def _before(item: Promise, played: Played) -> Any:
    """The value just before the moment that the times of the expectation count from."""
    moment_ms = max(played.origin_ms(item) - 1, 0)
    return FACTS[item.what](Look(world=played.world_at(moment_ms), records=played.records, own=played.own), item)


def _is_same_as(look: Look, item: Promise, found: Any) -> bool:
    """Whether a value equals another field of the pod."""
    row = pod_of(look, item)
    return bool(found == {"status.podIP": row.status.pod_ip, "spec.nodeName": row.node}.get(str(item.value)))


def _short(found: Any) -> Any:
    if isinstance(found, list):
        return [getattr(entry, "target", entry) for entry in found][:12]
    return found
