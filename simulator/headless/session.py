"""kubectl against a simulated cluster, without a site: read-only lines are answered, lines that change something are carried out.

The world is a fork, so the one that was passed in stays at its moment. There is no clock: time passes only while a
line waits for its effects, in steps of ``_LOOK_MS`` and for at most ``_WAIT_MS``.
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
"""How long a line waits for its effects, as kubectl itself waits for an exec, a drain or a deletion to finish."""
_LOOK_MS: Ms = 100


class Session:
    """A world that continues from a moment as lines are typed. ``records`` are all records up to that moment."""

    def __init__(self, world: World, records: Sequence[Record], *, now_ms: Ms) -> None:
        self.world = world.fork()
        self.records = list(records)
        self.now_ms = now_ms

    def ask(self, line: str) -> str:
        """Return what kubectl prints. A line that acts takes as long as kubectl would wait. Never raises, whatever the line says."""
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
            # The command's results are read later from the records, which refer to it by this number.
            seqs.append(next(record.seq for record in made if record.kind == "command"))
            self.records += made
        until_ms = self.now_ms + (action.patience_ms or _WAIT_MS)
        while self.now_ms < until_ms and not is_over(action, seqs, self.records, self.world):
            self.now_ms += _LOOK_MS
            self.records += advance(self.world, until_ms=self.now_ms).records
        late = overdue(action, seqs, self.records, self.world) if action.patience_ms and action.waits else ""
        return answer_of(action, seqs, self.records, self.world) + late

    def _followed(self, line: str) -> str:
        """Let time pass until a rollout is over, and return what ``rollout status`` prints on the way, each text once."""
        self.records += advance(self.world, until_ms=self.now_ms).records
        found, until_ms = [kubectl(self.world, line, now_ms=self.now_ms)], self.now_ms + _WAIT_MS
        while self.now_ms < until_ms and is_under_way(found[-1]):
            self.now_ms += _LOOK_MS
            self.records += advance(self.world, until_ms=self.now_ms).records
            text = kubectl(self.world, line, now_ms=self.now_ms)
            found += [text] if text != found[-1] else []
        return "".join(found)

    def _seen(self, line: Line, lasts_ms: Ms) -> str:
        """Let time pass for the length of a watch, and return the rows it prints."""
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
        """Let time pass while ``kubectl wait`` waits, and return what it prints if its condition was not met."""
        if waiting(self.world, line, now_ms=self.now_ms) is None:
            return ""
        self.records += advance(self.world, until_ms=self.now_ms).records
        begun_ms, left = self.now_ms, waiting(self.world, line, now_ms=self.now_ms)
        while left is not None and self.now_ms - begun_ms < min(left[0], _WAIT_MS):
            self.now_ms += _LOOK_MS
            self.records += advance(self.world, until_ms=self.now_ms).records
            left = waiting(self.world, line, now_ms=self.now_ms)
        return through(shell_line(line).filters, left[1]) if left is not None else ""
