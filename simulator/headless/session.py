"""kubectl against a simulated cluster, without a site: read-only lines are answered, lines that change something are carried out.

The world is a fork, so the one that was passed in stays at its moment. There is no clock: time passes only while a
line waits for its effects, in steps of ``_LOOK_MS`` and for at most ``_WAIT_MS``.
"""

from collections.abc import Sequence

from simulator.door.typed import looked
from simulator.engine import advance, apply
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms, Seq
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import KubectlAction
from simulator.kubectl.acting.outcome import answer_of, exit_code_of, following, is_over, overdue
from simulator.kubectl.acting.verbs import action_of, is_acting
from simulator.kubectl.context import chosen_by
from simulator.kubectl.filters import through
from simulator.kubectl.kubectl import answered
from simulator.kubectl.line import BadLine, EndedWith, Line, Printed
from simulator.kubectl.rollout import follows_rollout, is_under_way
from simulator.kubectl.shell import is_too_long, shell_line
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.wait import waiting
from simulator.kubectl.watching import TableWatch, watch_of

_WAIT_MS: Ms = 600 * SECOND
"""How long a line waits for its effects, as kubectl itself waits for an exec, a drain or a deletion to finish."""
_LOOK_MS: Ms = 100


class Session:
    """A world that continues from a moment as lines are typed. ``records`` are all records up to that moment.

    ``exit_code`` is that of the last line, like ``$?`` in a shell. ``namespace`` is the one that ``config set-context`` has chosen; empty
    until then.
    """

    def __init__(self, world: World, records: Sequence[Record], *, now_ms: Ms) -> None:
        self.world = world.fork()
        self.records = list(records)
        self.now_ms = now_ms
        self.exit_code = 0
        self.namespace = ""

    def ask(self, line: str) -> str:
        """Return what kubectl prints. A line that acts takes as long as kubectl would wait. Never raises, whatever the line says."""
        printed = self._acted(line) if is_acting(line) and not is_too_long(line) else self._looked(line)
        self.exit_code = printed.exit_code
        self.namespace = chosen_by(line, self.world.release.minor) or self.namespace
        return printed.text

    def _looked(self, line: str) -> Printed:
        if follows_rollout(line):
            return self._followed(line)
        if (watch := watch_of(line)) is not None:
            return self._seen(*watch)
        return self._waited(line) or looked(self.world, line, now_ms=self.now_ms, namespace=self.namespace)

    def _acted(self, line: str) -> Printed:
        self._pass_time(self.now_ms)
        try:
            action = action_of(self.world, line, now_ms=self.now_ms, namespace=self.namespace)
        except BadLine as error:
            return Printed(f"{error}\n", error.exit_code if isinstance(error, EndedWith) else 1)
        seqs = self._carried_out(action)
        until_ms, is_followed = self.now_ms + (action.patience_ms or _WAIT_MS), False
        while self.now_ms < until_ms and not is_over(action, seqs, self.records, self.world):
            self._pass_time(self.now_ms + _LOOK_MS)
            if (attached := following(action, seqs, self.records, self.world)) is not None and attached.due and not is_followed:
                is_followed = True
                self._carried_out(action_of(self.world, attached.due, now_ms=self.now_ms, namespace=self.namespace))
        late = overdue(action, seqs, self.records, self.world) if action.patience_ms and action.waits else ""
        exit_code = exit_code_of(action, seqs, self.records, self.world)
        return Printed(answer_of(action, seqs, self.records, self.world) + late, exit_code or int(bool(late)))

    def _carried_out(self, action: KubectlAction) -> list[Seq]:
        """Give the commands of a line, and return the numbers of their records, from which the results are read later."""
        seqs = []
        for step in action.steps:
            made = apply(self.world, step.command)
            seqs.append(next(record.seq for record in made if record.kind == "command"))
            self.records += made
        return seqs

    def _pass_time(self, until_ms: Ms) -> None:
        self.now_ms = until_ms
        self.records += advance(self.world, until_ms=until_ms).records

    def _followed(self, line: str) -> Printed:
        """Let time pass until a rollout is over, and return what ``rollout status`` prints on the way, each text once."""
        self._pass_time(self.now_ms)
        last, until_ms = self._answered(line), self.now_ms + _WAIT_MS
        found = [last.text]
        while self.now_ms < until_ms and is_under_way(last.text):
            self._pass_time(self.now_ms + _LOOK_MS)
            last = self._answered(line)
            found += [last.text] if last.text != found[-1] else []
        return Printed("".join(found), last.exit_code)

    def _answered(self, line: str) -> Printed:
        return answered(self.world, line, now_ms=self.now_ms, namespace=self.namespace)

    def _left(self, line: str) -> tuple[Ms, str] | None:
        return waiting(self.world, line, now_ms=self.now_ms, namespace=self.namespace)

    @property
    def _sight(self) -> Sight:
        return Sight(self.world, self.now_ms, self.namespace)

    def _seen(self, line: Line, lasts_ms: Ms) -> Printed:
        """Let time pass for the length of a watch, and return the rows it prints."""
        self._pass_time(self.now_ms)
        try:
            watch = TableWatch(line, self._sight)
        except BadLine as error:
            return Printed(f"{error}\n", 1)
        found, until_ms = [watch.first], self.now_ms + min(lasts_ms, _WAIT_MS)
        while self.now_ms < until_ms:
            self._pass_time(min(self.now_ms + _LOOK_MS, until_ms))
            found.append(watch.changed(self._sight))
        return Printed("".join(found))

    def _waited(self, line: str) -> Printed | None:
        """Let time pass while ``kubectl wait`` waits, and return what it prints if its condition was not met."""
        if self._left(line) is None:
            return None
        self._pass_time(self.now_ms)
        begun_ms, left = self.now_ms, self._left(line)
        while left is not None and self.now_ms - begun_ms < min(left[0], _WAIT_MS):
            self._pass_time(self.now_ms + _LOOK_MS)
            left = self._left(line)
        return Printed(through(shell_line(line).filters, left[1]), 1) if left is not None else None
