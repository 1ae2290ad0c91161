"""A cluster at a command line without a site: lines that look are answered, lines that change something are carried out.

The world is a fork, so the one that was handed in stays at its moment. There is no clock: time passes only while a
line waits for what it has begun, in steps of ``_LOOK_MS`` and for ``_WAIT_MS`` at most.
"""

from collections.abc import Sequence

from simulator.door.typed import looked
from simulator.engine import advance, apply
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.world.world import World
from simulator.kubectl.acting.outcome import answer_of, is_over, overdue
from simulator.kubectl.acting.verbs import action_of, is_acting
from simulator.kubectl.filters import through
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.rollout import follows_rollout, is_under_way
from simulator.kubectl.shell import is_too_long, shell_line
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.wait import waiting
from simulator.kubectl.watching import TableWatch, watch_of

_WAIT_MS: Ms = 600 * SECOND
"""How long a line waits for what it has begun, as kubectl itself waits for the end of an exec, a drain or a deletion."""
_LOOK_MS: Ms = 100


class Session:
    """A world that goes on from a moment as lines are typed. ``records`` are those that led to it, from the first."""

    def __init__(self, world: World, records: Sequence[Record], *, now_ms: Ms) -> None:
        self.world = world.fork()
        self.records = list(records)
        self.now_ms = now_ms

    def ask(self, line: str) -> str:
        """What kubectl prints. A line that acts takes the time that kubectl would wait. Never raises for what the line says."""
        if not is_acting(line) or is_too_long(line):
            if follows_rollout(line):
                return self._followed(line)
            if (watch := watch_of(line)) is not None:
                return self._seen(*watch)
            return self._waited(line) or looked(self.world, line, now_ms=self.now_ms)
        self.records += advance(self.world, until_ms=self.now_ms).records
        try:
            action = action_of(self.world, line, now_ms=self.now_ms)
        except BadLine as error:
            return f"{error}\n"
        seqs = []
        for step in action.steps:
            made = apply(self.world, step.command)
            # What came of the deed is later read from the records, which name the command by its number.
            seqs.append(next(record.seq for record in made if record.kind == "command"))
            self.records += made
        until_ms = self.now_ms + (action.patience_ms or _WAIT_MS)
        while self.now_ms < until_ms and not is_over(action, seqs, self.records, self.world):
            self.now_ms += _LOOK_MS
            self.records += advance(self.world, until_ms=self.now_ms).records
        late = overdue(action, seqs, self.records, self.world) if action.patience_ms and action.waits else ""
        return answer_of(action, seqs, self.records, self.world) + late

    def _followed(self, line: str) -> str:
        """Let the time pass until a rollout is over; what ``rollout status`` prints on the way, each text once."""
        self.records += advance(self.world, until_ms=self.now_ms).records
        found, until_ms = [kubectl(self.world, line, now_ms=self.now_ms)], self.now_ms + _WAIT_MS
        while self.now_ms < until_ms and is_under_way(found[-1]):
            self.now_ms += _LOOK_MS
            self.records += advance(self.world, until_ms=self.now_ms).records
            text = kubectl(self.world, line, now_ms=self.now_ms)
            found += [text] if text != found[-1] else []
        return "".join(found)

    def _seen(self, line: Line, lasts_ms: Ms) -> str:
        """Let the time pass that a watch lasts; the rows that it prints."""
        self.records += advance(self.world, until_ms=self.now_ms).records
        try:
            watch = TableWatch(line, Sight(self.world, self.now_ms))
        except BadLine as error:
            return f"{error}\n"
        found, until_ms = [watch.first], self.now_ms + min(lasts_ms, _WAIT_MS)
        while self.now_ms < until_ms:
            self.now_ms = min(self.now_ms + _LOOK_MS, until_ms)
            self.records += advance(self.world, until_ms=self.now_ms).records
            found.append(watch.changed(Sight(self.world, self.now_ms)))
        return "".join(found)

    def _waited(self, line: str) -> str:
        """Let the time pass that ``kubectl wait`` waits; what it prints if it waited in vain."""
        if waiting(self.world, line, now_ms=self.now_ms) is None:
            return ""
        self.records += advance(self.world, until_ms=self.now_ms).records
        begun_ms, left = self.now_ms, waiting(self.world, line, now_ms=self.now_ms)
        while left is not None and self.now_ms - begun_ms < min(left[0], _WAIT_MS):
            self.now_ms += _LOOK_MS
            self.records += advance(self.world, until_ms=self.now_ms).records
            left = waiting(self.world, line, now_ms=self.now_ms)
        return through(shell_line(line).filters, left[1]) if left is not None else ""
