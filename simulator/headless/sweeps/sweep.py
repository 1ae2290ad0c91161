"""A sweep: one run with many values of a field and many seeds, and the outcome of each.

Pure: the same sweep gives the same cells on any machine. ``workers.py`` has other processes compute the cells.

A cell depends only on the sweep's text, its value, its seed and the engine revision; the sweep's id is derived from
these, and so cells can be stored permanently and computed in any order. A run in which an act was refused is a
different experiment, so its cell is void rather than a number.
"""

import hashlib
import re
from base64 import b32encode
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from statistics import fmean, median

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from msgspec import Struct, json
from msgspec.structs import replace

from simulator.engine import Course, Record, RunHeader, Stamped
from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS
from simulator.engine.apiserver.admission.cluster import EMPTY, Cluster
from simulator.engine.course.header import renewed
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.model.quantity import parse, quantity_problem
from simulator.headless.refused import RefusedAct, refused_acts, said
from simulator.headless.sweeps.fields import BadSweptField, NumericField, field_of, is_kept, with_value
from simulator.headless.sweeps.inferred import CellEnd, may_depend_on_time
from simulator.headless.sweeps.outcomes import SPAN, AskedOutcome, BadOutcome, Happened, PlayedOut, outcome_of
from simulator.headless.sweeps.overwritten import is_overwritten
from simulator.headless.sweeps.shared import CellPlay, SharedPasts, in_turn, is_amount
from simulator.manifests.check.check import check_text
from simulator.manifests.problems import ERROR

SEEDS_MAX, VALUES_MAX = 1000, 1000
UNTIL_MS_MAX: Ms = 24 * 3_600_000
WORK_MAX = 6_000_000
"""How far one run may go, in units of work (engine/world/work.py)."""
PROBLEM_CHARS = 1000
REFUSED_MAX = 5
"""At most this many refused acts of a run are named."""
NUMBER_MAX = 2**63 - 1
ID_LENGTH = 20
TOO_MUCH, TOO_SLOW, TOO_LARGE, DIED, FAILED = "too_much", "too_slow", "too_large", "died", "failed"
FAILURES = {
    TOO_MUCH: gettext_noop("So much happens in this run that it did not reach its end. Try a shorter time."),
    TOO_SLOW: gettext_noop("This run exceeded the time limit for a cell. Try a shorter time or fewer pods."),
    TOO_LARGE: gettext_noop("This run exceeded the memory limit for a cell. Try a shorter time or fewer pods."),
    DIED: gettext_noop("The process working on this run died twice."),
    FAILED: gettext_noop("The simulation of this run failed."),
}
"""Why there is no number, other than a refusal by the API server: codes, which are stored, and their texts."""
_RANGE = re.compile(r"\s*([^.\s]+)\s*\.\.\s*([^./\s]+)\s*(?:/\s*(\S+))?\s*")
_UNITS = re.compile(r"-?[0-9]+([A-Za-z]*)")

Swept = int | str
"""A value of the field: a whole number, or a quantity such as ``64Mi``."""


class BadSweep(Exception):
    """A sweep that cannot be made. ``part`` says which part is wrong: field, values, seeds, outcome, until.

    ``step`` is the step of the header's script that rules it out, counted from 0 in order of time, or None.
    """

    def __init__(self, part: str, text: str, *, step: int | None = None) -> None:
        super().__init__(text)
        self.part = part
        self.step = step


class Sweep(Struct, frozen=True, kw_only=True):
    """A sweep's definition: a run (``header``, ``commands``), a field of its manifests with its values, seeds, outcome and duration.

    ``outcome`` is written as ``outcomes.outcome_of`` reads it; ``pod`` narrows it to pods of that name (* is anything).
    """

    header: RunHeader
    commands: tuple[Stamped, ...] = ()
    field: str
    values: tuple[Swept, ...]
    seeds: tuple[int, ...]
    outcome: str
    pod: str = ""
    until_ms: Ms

    @property
    def size(self) -> int:
        """How many cells it has."""
        return len(self.values) * len(self.seeds)


SWEEP: Typed[Sweep] = Typed(Sweep)


class SweepCell(Struct, frozen=True):
    """The result for one value and seed: a number or None (it did not happen), and the moment and subject that show it.

    If it could not be computed, ``problem`` is the API server's objection, or ``failure`` a code of FAILURES; ``is_final``: trying again
    would not change that. If acts were ``refused``, it is not a result either, because the run was not the one asked for. Only the first
    of many refused acts are named; ``unnamed`` counts the others.
    """

    value: int | None = None
    at_ms: Ms | None = None
    subject: Subject = ""
    problem: str = ""
    is_final: bool = True
    refused: tuple[RefusedAct, ...] = ()
    unnamed: int = 0
    failure: str = ""

    @property
    def why(self) -> str:
        """Why it could not be computed, in the reader's language; empty if it could."""
        return _(FAILURES[self.failure]) if self.failure in FAILURES else self.problem or self.failure

    @property
    def is_result(self) -> bool:
        """Whether the number counts."""
        return not self.problem and not self.failure and not self.refused


CELL: Typed[SweepCell] = Typed(SweepCell)
CELLS: Typed[list[SweepCell | None]] = Typed(list[SweepCell | None])


class Summary(Struct, frozen=True, kw_only=True):
    """The results of one value over all seeds. Least, median, most and mean cover the runs in which it happened; None if there were none.

    For these a count of 0 is a number like any other, although it does not count as having happened. ``measured`` excludes cells that
    could not be computed (``problem`` says why the first was not, in the reader's language) and those in which an act was refused
    (``refused`` counts them, and ``refusal`` is the first such act).
    """

    value: Swept
    measured: int
    happened: int
    least: int | None
    middle: float | None
    most: int | None
    mean: float | None
    problem: str = ""
    refused: int = 0
    refusal: RefusedAct | None = None


def encode_sweep(sweep: Sweep) -> str:
    """The canonical JSON text: keys sorted, so that equal sweeps are equal texts."""
    return json.encode(sweep, order="sorted").decode()


def sweep_id(sweep: Sweep) -> str:
    """A digest, as letters and digits, of everything the result depends on, including the engine revision."""
    digest = hashlib.sha256(encode_sweep(replace(sweep, header=renewed(sweep.header))).encode()).digest()
    return b32encode(digest).decode().lower()[:ID_LENGTH]


def values_of(text: str, field: NumericField | None = None) -> tuple[Swept, ...]:
    """Parse the values in ``0..30/5`` (from, to, step; the default step is 1) or ``1,2,5``; for quantities ``64Mi..256Mi/64Mi``.

    Raises BadSweep.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        values = tuple(_number("values", part, field) for part in text.split(",") if part.strip())
    else:
        values = _spread("values", match, field)
    if not values:
        raise BadSweep("values", _("“%(text)s” contains no values; write 0..30/5 or 1,2,5.") % {"text": text})
    if len(values) > VALUES_MAX:
        raise BadSweep("values", _("That is more than %(most)d values; use a larger step.") % {"most": VALUES_MAX})
    return tuple(dict.fromkeys(values))


def seeds_of(text: str) -> tuple[int, ...]:
    """Parse the seeds in ``1..20`` or ``1,2,5``. Raises BadSweep."""
    match = _RANGE.fullmatch(text)
    found = _spread("seeds", match, None) if match else tuple(_number("seeds", part, None) for part in text.split(",") if part.strip())
    seeds = tuple(seed for seed in dict.fromkeys(found) if isinstance(seed, int) and 0 <= seed < 2**31)
    if not seeds or len(seeds) != len(dict.fromkeys(found)):
        raise BadSweep("seeds", _("“%(text)s” is not a list of seeds; write 1..20 or 1,2,5, from 0 to 2147483647.") % {"text": text})
    if len(seeds) > SEEDS_MAX:
        raise BadSweep("seeds", _("That is more than %(most)d seeds.") % {"most": SEEDS_MAX})
    return seeds


def _number(part: str, text: str, field: NumericField | None) -> Swept:
    text = text.strip()
    if re.fullmatch(r"[+-]?[0-9]{1,19}", text, re.ASCII) and abs(int(text)) <= NUMBER_MAX:
        return int(text)
    if field is not None and field.is_quantity and len(text) < 40 and not quantity_problem(text):
        return text
    raise BadSweep(part, _("“%(text)s” is not a whole number.") % {"text": text[:40]})


def _spread(part: str, match: re.Match[str], field: NumericField | None) -> tuple[Swept, ...]:
    """Expand from, to and step, all in the unit of the first."""
    ends = [_number(part, text, field) for text in (match[1], match[2])]
    step = _number(part, match[3], field) if match[3] else None
    unit = _unit(ends[0])
    if unit or any(isinstance(each, str) for each in (*ends, step)):
        return _quantities(part, ends, step, unit)
    first, last, by = int(ends[0]), int(ends[1]), 1 if step is None else int(step)
    if by <= 0 or last < first:
        raise BadSweep(part, _("Put the smaller end first, and use a step above 0."))
    # One value more than allowed is enough for the caller to see that there are too many.
    return tuple(range(first, min(last, first + by * VALUES_MAX) + 1, by))


def _unit(value: Swept) -> str:
    match = _UNITS.fullmatch(str(value))
    return match[1] if match is not None else ""


def _quantities(part: str, ends: list[Swept], step: Swept | None, unit: str) -> tuple[Swept, ...]:
    one = parse(f"1{unit}").nano
    first, last = (parse(each).nano for each in ends)
    by = parse(step).nano if step is not None else one
    if by <= 0 or last < first or any(number % one for number in (first, by)):
        raise BadSweep(part, _("Write from, to and step in the unit of the first, the smaller end first, with a step above 0."))
    return tuple(f"{number // one}{unit}" for number in range(first, min(last, first + by * VALUES_MAX) + 1, by))


class SweepPlan:
    """A sweep ready to be computed: its field and outcome are resolved, and each value's manifests are checked once."""

    def __init__(self, sweep: Sweep) -> None:
        """Raises BadSweep, which names the part that is wrong. Costs about 1 ms."""
        self.sweep = sweep
        try:
            self.field: NumericField = field_of(sweep.header, sweep.field)
        except BadSweptField as error:
            raise BadSweep("field", str(error)) from None
        try:
            self.asked: AskedOutcome = outcome_of(sweep.outcome)
        except BadOutcome as error:
            raise BadSweep("outcome", str(error)) from None
        if not sweep.values:
            raise BadSweep("values", _("There are no values to try."))
        if not sweep.seeds:
            raise BadSweep("seeds", _("There are no seeds to try."))
        if not 0 < sweep.until_ms <= UNTIL_MS_MAX:
            raise BadSweep("until", _("A run in a sweep can last from 1 ms to 24 h."))
        self._check_acts()
        self._judged: dict[Swept, RunHeader | str] = {}
        self._amounts = _amounts(sweep.header, self.field, sweep.values)
        self._seed, self._pasts = -1, SharedPasts(())
        moments = [stamped.at_ms for stamped in sweep.commands if stamped.at_ms < sweep.until_ms]
        self._act_moments = None if may_depend_on_time(encode_sweep(sweep)) else moments
        self.stepped = 0
        """Units of work done for all cells so far."""
        self._digest: Callable[[], bytes | None] = bytes

    def _check_acts(self) -> None:
        """Raise BadSweep if an act of the run writes the field: from then on all values would give the same."""
        sweep = self.sweep
        steps = [(step.at_ms, step.command, n) for n, step in enumerate(sweep.header.script)]
        for at_ms, command, step in [*((item.at_ms, item.command, None) for item in sweep.commands), *steps]:
            # An act at or after the end is never given.
            if at_ms < sweep.until_ms and is_overwritten(sweep.header, self.field, command):
                told = {"seconds": f"{at_ms / 1000:g}", "act": said(sentence_of(ACTS.of(command), command))}
                text = _("An action in the run sets this field at %(seconds)s s (%(act)s): from then on every value would be the same.")
                raise BadSweep("field", text % told, step=step)

    @property
    def unit(self) -> str:
        """The unit of the outcome."""
        return self.asked.outcome.unit

    def places(self) -> Iterator[tuple[Swept, int]]:
        """The value and seed of every cell, in the order of the cells' numbers."""
        return ((value, seed) for value in self.sweep.values for seed in self.sweep.seeds)

    def header(self, value: Swept, seed: int) -> RunHeader:
        """The header of a cell's run. With several seeds, delays are random; with one, only if they are in the original run."""
        base = self.sweep.header
        manifests = with_value(base, self.field, value)
        return replace(renewed(base), manifests=manifests, seed=seed, jitter=base.jitter or len(self.sweep.seeds) > 1)

    def refusal(self, value: Swept) -> str:
        """The API server's objection to the manifests with that value; "" if it accepts them."""
        found = self._judged.get(value)
        if found is None:
            header = self.header(value, self.sweep.seeds[0])
            found = self._judged[value] = _refusal(header) or header
        return found if isinstance(found, str) else ""

    def rows(self, hands: int = 1) -> list[list[int]]:
        """The numbers of the cells in rows: the cells of a row share most if one process computes them in this order.

        If the field is an amount, a row is a seed, or a part of one if there are fewer seeds than ``hands``. Cells that share nothing are
        rows of their own.
        """
        sweep, width = self.sweep, len(self.sweep.seeds)
        if not self._amounts:
            return [[number] for number in range(sweep.size)]
        place = {value: n * width for n, value in enumerate(sweep.values)}
        alone = [[place[value] + n] for value in sweep.values if value not in self._amounts for n in range(width)]
        ordered = sorted(self._amounts)
        step = ceil(len(ordered) / ceil(hands / width))
        parts = [in_turn(ordered[start : start + step]) for start in range(0, len(ordered), step)]
        return [*alone, *([place[value] + n for value in part] for n in range(width) for part in parts)]

    def play(self, value: Swept, seed: int) -> SweepCell:
        """Compute the cell for a value and a seed. Costs the run, at most WORK_MAX units, minus the part that earlier cells have played."""
        problem = self.refusal(value)
        if problem:
            return SweepCell(problem=problem[:PROBLEM_CHARS])
        ended = self._inferred(value, seed) or self._played(value, seed)
        if ended is None:
            return SweepCell(failure=TOO_MUCH)
        self._digest = ended.digest
        return self._void(ended.refused) if ended.refused else self._cell(ended)

    def digest(self) -> bytes | None:
        """The digest of the records of the last computed cell; None if they are not all known."""
        return self._digest()

    def _inferred(self, value: Swept, seed: int) -> CellEnd | None:
        """The end of a cell's run if it can be inferred from other cells."""
        if not isinstance(value, int) or value not in self._amounts:
            return None
        if seed != self._seed:
            self._seed, self._pasts = seed, SharedPasts(self._amounts, self._act_moments)
        return self._pasts.inferred(value, self.asked.outcome.machines)

    def _played(self, value: Swept, seed: int) -> CellEnd | None:
        """The end of a cell's run, played from where other cells had the same past; None if it is too much work."""
        play, with_stops = self._begun(value, seed)
        while not play.is_there and play.course.done < WORK_MAX:
            play.go_on(self.sweep.until_ms, work_max=WORK_MAX, with_stops=with_stops)
        self.stepped += play.stepped
        return play.end() if play.is_there else None

    def _begun(self, value: Swept, seed: int) -> tuple[CellPlay, bool]:
        """The run of a cell as far as other cells had the same past, and whether it should leave stops for others."""
        header = self.header(value, seed)
        if not isinstance(value, int) or value not in self._amounts:
            return self._from_zero(header), False
        play = self._pasts.begun(value, header) or self._from_zero(header, is_traced=self._pasts.infers)
        return play, self._pasts.add(value, play)

    def _from_zero(self, header: RunHeader, *, is_traced: bool = False) -> CellPlay:
        return CellPlay(Course(header, self.sweep.commands), self.asked.outcome.machines, is_traced=is_traced)

    def _void(self, refused: Sequence[Record]) -> SweepCell:
        """The cell for a run in which acts were refused: where to look, but no number."""
        acts = refused_acts(refused[:REFUSED_MAX], self.sweep.header, self.sweep.commands)
        return SweepCell(at_ms=refused[0].at_ms, subject=refused[0].subject, refused=acts, unnamed=len(refused) - len(acts))

    def _cell(self, ended: CellEnd) -> SweepCell:
        played = PlayedOut(
            records=ended.kept, failed=ended.failed, until_ms=self.sweep.until_ms, argument=self.asked.argument, pod=self.sweep.pod
        )
        found: Happened = self.asked.outcome.measure(played)
        return SweepCell(found.value, found.at_ms, found.subject)


def _amounts(header: RunHeader, field: NumericField, values: Sequence[Swept]) -> tuple[int, ...]:
    """The values whose cells may share a past; empty if sharing is not possible.

    A 0 that means the default behaves like that number, and so does not take part.
    """
    found = tuple(value for value in values if isinstance(value, int))
    if not is_amount(field.path) or len(found) < len(values):
        return ()
    kept = tuple(value for value in found if value or is_kept(header, field, value))
    return kept if len(kept) > 2 else ()


def _refusal(header: RunHeader) -> str:
    cluster: Cluster | None = EMPTY
    for text in header.manifests:
        checked = check_text(
            text, kubernetes=header.kubernetes, strict=False, namespace=header.namespace, gates=header.gates, cluster=cluster
        )
        cluster = checked.cluster
        for problem in checked.problems:
            if problem.severity == ERROR:
                return f"{problem.path}: {problem.message}" if problem.path else problem.message
    return ""


def summaries(sweep: Sweep, cells: Sequence[SweepCell | None], unit: str) -> tuple[Summary, ...]:
    """One summary per value; cells that are not computed yet (None) are ignored."""
    width = len(sweep.seeds)
    rows = (cells[start : start + width] for start in range(0, len(cells), width))
    return tuple(_summary(value, row, unit) for value, row in zip(sweep.values, rows, strict=False))


def _summary(value: Swept, row: Sequence[SweepCell | None], unit: str) -> Summary:
    done = [cell for cell in row if cell is not None and cell.is_result]
    refused = [cell for cell in row if cell is not None and cell.refused]
    numbers = [cell.value for cell in done if cell.value is not None]
    # If it did not happen, a length is None, but a count is 0.
    happened = len(numbers) if unit == SPAN else sum(number > 0 for number in numbers)
    return Summary(
        value=value,
        measured=len(done),
        happened=happened,
        least=min(numbers, default=None),
        middle=median(numbers) if numbers else None,
        most=max(numbers, default=None),
        mean=fmean(numbers) if numbers else None,
        problem=next((cell.why for cell in row if cell is not None and cell.why), ""),
        refused=len(refused),
        refusal=next((act for cell in refused for act in cell.refused), None),
    )
