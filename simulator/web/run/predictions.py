"""Questions about what a run does next, for a reader who wants to predict it: the answers to choose from, and the true one.

The true answer is read from the records of a copy of the run that continues without acts. The other choices do not give it away: times
and counts are ranges without gaps, words and exit codes are common ones for a pod in this state.

Each maker looks at the pod's first change of STATUS in a look ahead and at what follows it, and asks one thing: which
word comes next, when, how the container ends, how often it restarts. A maker returns None if the look ahead does not
reach far enough to be sure of the answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext as _

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Seq, Subject
from simulator.engine.projection import project
from simulator.engine.projection.subjects import names, pod_key
from simulator.engine.world.world import World
from simulator.runs.log.outlook import Enough, Outlook
from simulator.web.presenters import clock_text, length_text

HORIZON_MS = 60_000
"""How far ahead restarts are counted."""
CHOICES_MAX = 4
GONE = "-"
"""Stands for the STATUS of a pod that is gone."""
EDGES_MS = (2_000, 10_000, 60_000)
"""The boundaries of the time ranges to choose from."""
COUNTS_MAX = 3
EXIT_CODES = (0, 1, 137, 143, 2)
STARTING = ("Running", "ErrImagePull", "Error", "ContainerCreating", "Completed")
RUNNING = ("Completed", "Error", "CrashLoopBackOff", "OOMKilled", "Terminating")
BETWEEN = ("Running", "CrashLoopBackOff", "Error", "Completed", "Terminating")
LEAVING = (GONE, "Error", "Completed", "Running")
FAMILIES = {
    **dict.fromkeys(("Running", "NotReady"), RUNNING),
    **dict.fromkeys(("Error", "Completed", "CrashLoopBackOff", "OOMKilled", "RunContainerError", "StartError"), BETWEEN),
    "Terminating": LEAVING,
}
"""What kubectl often prints next, by what it prints now; otherwise as for a starting pod."""


@dataclass(frozen=True)
class StandingPod:
    """A pod at the moment of the question: its STATUS, whether containers that end start again, whether it is being deleted."""

    subject: Subject
    word: str
    is_restarted: bool
    is_deleted: bool


PodsAsked = Mapping[Key, StandingPod]
"""The pods that have a STATUS, by their keys."""


@dataclass(frozen=True)
class AnswerChoice:
    """One of the answers: its value and its text."""

    value: str
    label: str


@dataclass(frozen=True)
class Riddle:
    """A question with its answers. ``truth`` is the value of the true one, which appears at ``at_ms`` in record ``seq`` (0: in none).

    ``told`` says what happens.
    """

    kind: str
    subject: Subject
    question: str
    choices: tuple[AnswerChoice, ...]
    truth: str
    at_ms: Ms
    seq: Seq
    told: str


@dataclass(frozen=True)
class PodInQuestion:
    """The basis of a question: a pod at a moment, its next change of STATUS, and everything that follows."""

    of: StandingPod
    now_ms: Ms
    turn: Record
    ahead: Outlook

    @property
    def pod(self) -> str:
        """The pod's name, with its namespace unless that is the default."""
        return str(names(self.of.subject)["pod"])

    def riddle(self, kind: str, question: str, choices: tuple[AnswerChoice, ...], truth: str, record: Record, told: str) -> Riddle:
        """A question whose answer appears in a record."""
        return Riddle(kind, self.of.subject, question, choices, truth, record.at_ms, record.seq, told)


def pods_asked(world: World) -> PodsAsked:
    """The pods of a world for which kubectl prints a STATUS. O(pods)."""
    rows = world.tables.pods
    return {
        line.key: StandingPod(
            subject=line.subject,
            word=line.status_word,
            is_restarted=rows[line.key].pod.spec.restart_policy != "Never",
            is_deleted=rows[line.key].deletion_ms is not None,
        )
        for line in project.objects(world)
        if line.status_word
    }


def tells_enough(pods: PodsAsked, now_ms: Ms) -> Enough:
    """Whether records reach far enough to ask about the pod that changes first."""
    return lambda records, until_ms: until_ms - now_ms >= HORIZON_MS and bool(_turns(pods, records))


def riddles(pods: PodsAsked, now_ms: Ms, ahead: Outlook, *, sel: Subject = "") -> list[Riddle]:
    """The questions about the pod of ``sel``, or if that does not change, about the one that changes first; empty if none does."""
    turns = _turns(pods, ahead.records)
    if not turns:
        return []
    key = pod_key(sel) if pod_key(sel) in turns else next(iter(turns))
    asked = PodInQuestion(pods[key], now_ms, turns[key], ahead)
    made = (_MAKERS[kind](asked) for kind in KINDS_ASKED)
    return [riddle for riddle in made if riddle is not None]


def _turns(pods: PodsAsked, records: list[Record]) -> dict[Key, Record]:
    """The first change of STATUS of each pod, in the order of time."""
    found: dict[Key, Record] = {}
    for record in records:
        if record.machine != "status_word":
            continue
        key = pod_key(record.subject)
        if key in pods and record.target != pods[key].word:
            found.setdefault(key, record)
    return found


def _word(asked: PodInQuestion) -> Riddle:
    word, now = asked.turn.target or GONE, asked.of.word
    family = FAMILIES.get(now, STARTING)
    never = () if asked.of.is_restarted else ("CrashLoopBackOff",)
    others = [other for other in family if other not in (word, now, *never)]
    # In alphabetical order, so that the position of the true answer does not give it away.
    values = sorted([word, *others[: CHOICES_MAX - 1]], key=str.casefold)
    choices = tuple(AnswerChoice(value, _("nothing: the pod is gone") if value == GONE else value) for value in values)
    question = _("What will the STATUS of %(pod)s be next? It is now %(word)s.") % {"pod": asked.pod, "word": now}
    said = {"pod": asked.pod, "word": word, "time": clock_text(asked.turn.at_ms)}
    told = _("%(pod)s is gone at %(time)s.") if word == GONE else _("The STATUS of %(pod)s is %(word)s at %(time)s.")
    return asked.riddle("word", question, choices, word, asked.turn, told % said)


def _when(asked: PodInQuestion) -> Riddle:
    length_ms = asked.turn.at_ms - asked.now_ms
    truth = sum(length_ms > edge_ms for edge_ms in EDGES_MS)
    question = _("The STATUS of %(pod)s is %(word)s. How much longer?") % {"pod": asked.pod, "word": asked.of.word}
    said = {"word": asked.of.word, "time": clock_text(asked.turn.at_ms), "length": length_text(length_ms)}
    told = _("It stays %(word)s until %(time)s: %(length)s.") % said
    return asked.riddle("when", question, _stretches(), str(truth), asked.turn, told)


def _stretches() -> tuple[AnswerChoice, ...]:
    edges = [length_text(edge_ms) for edge_ms in EDGES_MS]
    between = [_("%(from)s to %(to)s") % {"from": first, "to": second} for first, second in pairwise(edges)]
    labels = [_("at most %(to)s") % {"to": edges[0]}, *between, _("more than %(from)s") % {"from": edges[-1]}]
    return tuple(AnswerChoice(str(n), label) for n, label in enumerate(labels))


def _restarts(asked: PodInQuestion) -> Riddle | None:
    """How often containers restart. Not asked if they never do, or if the look ahead does not reach far enough."""
    until_ms = asked.now_ms + HORIZON_MS
    if asked.of.is_deleted or not asked.of.is_restarted or asked.ahead.until_ms < until_ms:
        return None
    found = [record for record in asked.ahead.records if record.at_ms <= until_ms and _is_restart(record, asked.of.subject)]
    question = _("How many times will containers of %(pod)s restart in the next %(length)s?")
    labels = [*map(str, range(COUNTS_MAX)), _("%(count)d or more times") % {"count": COUNTS_MAX}]
    choices = tuple(AnswerChoice(str(n), label) for n, label in enumerate(labels))
    said = {"pod": asked.pod, "length": length_text(HORIZON_MS), "time": clock_text(until_ms), "count": len(found)}
    told = _("Restarts of %(pod)s by %(time)s: %(count)d.") % said
    seq = found[-1].seq if found else 0
    return Riddle("restarts", asked.of.subject, question % said, choices, str(min(len(found), COUNTS_MAX)), until_ms, seq, told)


def _is_restart(record: Record, pod: Subject) -> bool:
    is_start = record.machine == "container_status" and record.target == "running" and bool(record.get("instance"))
    return is_start and pod_key(record.subject) == pod_key(pod)


def _exit(asked: PodInQuestion) -> Riddle | None:
    """How the next container ends; not asked if none does."""
    ends = (record for record in asked.ahead.records if record.machine == "container" and record.target == "exited")
    end = next((record for record in ends if pod_key(record.subject) == pod_key(asked.of.subject)), None)
    code = end.get("exit_code") if end is not None else None
    if end is None or not isinstance(code, int):
        return None
    others = [other for other in EXIT_CODES if other != code]
    choices = tuple(AnswerChoice(str(each), str(each)) for each in sorted([code, *others[: CHOICES_MAX - 1]]))
    said = {"container": names(end.subject)["container"], "pod": asked.pod, "code": code, "time": clock_text(end.at_ms)}
    question = _("Container %(container)s of %(pod)s will terminate. With which exit code?") % said
    told = _("Container %(container)s terminates with exit code %(code)d at %(time)s.") % said
    return asked.riddle("exit", question, choices, str(code), end, told)


_MAKERS: dict[str, Callable[[PodInQuestion], Riddle | None]] = {"word": _word, "when": _when, "exit": _exit, "restarts": _restarts}
KINDS_ASKED = tuple(_MAKERS)
"""The kinds of questions, in the order in which they take turns."""
