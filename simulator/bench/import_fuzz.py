"""Random pods, exported at a random instant and imported again: ``manage.py bench fuzz --imports``.

The engine plays a random run up to some instant, kubectl prints its pods and Events, and that text is imported. At the instant the imported
pods equal those of the text: status, conditions, and the row of the table with its ages. Before it, nothing shown contradicts the text
(``import_judge``), and what follows agrees as far as the text determines it (``import_sequel``).
"""

import json
from collections.abc import Iterator
from random import Random
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from simulator.bench.import_judge import contradictions, differences, rows_of
from simulator.bench.import_sequel import is_determined, sequel_problems
from simulator.bench.random_runs import random_run
from simulator.engine import Course, RunHeader, Stamped, World, advance, new_world
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.oom import OomContainer
from simulator.engine.acts.containers.signal import SignalContainer
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.kernel.units import SECOND, Ms
from simulator.imports.build import PAST_MS_MAX, Imported, import_text
from simulator.kubectl.kubectl import kubectl

FIRST_MS, LAST_MS = 1_000, 300_000
SHORT_PAST_MS: Ms = 20 * SECOND
"""A window that cuts off the past of most random runs."""
_TOLD_ACTS = (DeletePod, EvictPod, SignalContainer, ExitContainer, OomContainer, ApplyManifest)
"""Acts whose effect is visible in the text that kubectl prints afterwards."""


class ImportTally(Struct):
    """Counts of the random imports."""

    imports: int = 0
    pods: int = 0
    looks: int = 0
    determined: int = 0  # pods whose text fully determines what follows
    took_s: float = 0.0


class ExportMoment(Struct, frozen=True):
    """A random run, when it is exported, and how it is imported: with or without Events, and the maximum length of its past."""

    header: RunHeader
    commands: tuple[Stamped, ...]
    at_ms: Ms
    past_ms_max: Ms
    has_events: bool


class Contradicted(AssertionError):
    """An import that contradicts its text; the message says what, when, and how to play it."""


def random_moment(number: int) -> ExportMoment:
    """The moment of that number. Equal numbers give equal moments."""
    dice = Random(f"import {number}")
    header, commands = random_run(number)
    at_ms = dice.randrange(FIRST_MS, LAST_MS)
    is_quiet = dice.random() < 1 / 2
    kept = tuple(stamped for stamped in commands if stamped.at_ms <= at_ms and (not is_quiet or _is_visible(stamped)))
    past_ms_max = SHORT_PAST_MS if dice.random() < 1 / 4 else PAST_MS_MAX
    return ExportMoment(header, kept, at_ms, past_ms_max, has_events=dice.random() < 3 / 4)


def fuzz_imports(count: int, *, first: int = 0) -> ImportTally:
    """Import ``count`` random moments from number ``first`` on. Raises Contradicted for the first contradiction."""
    tally = ImportTally()
    began = perf_counter()
    for number in range(first, first + count):
        problem = next(problems_of(random_moment(number), tally), None)
        if problem is not None:
            raise Contradicted(_message(number, problem))
    tally.took_s = round(perf_counter() - began, 1)
    return tally


def problems_of(moment: ExportMoment, tally: ImportTally) -> Iterator[str]:
    """Every difference between the import of a moment and its text."""
    course = Course(moment.header, moment.commands)
    course.drive(moment.at_ms)
    documents = rows_of(course.world)
    if not documents:
        return
    imported = _import(course.world, moment)
    if imported.header is None:
        yield f"the text is refused: {[problem.message for problem in imported.problems]}"
        return
    tally.imports += 1
    tally.pods += len(documents)
    world = new_world(imported.header)
    yield from _past_problems(world, documents, imported, tally)
    yield from _instant_problems(course.world, world)
    tally.determined += sum(_is_quiet(moment) and is_determined(document) for document in documents.values())
    yield from sequel_problems(course, world, documents, is_quiet=_is_quiet(moment))


def _is_quiet(moment: ExportMoment) -> bool:
    """Whether the text shows the effect of every act of the run."""
    return all(_is_visible(stamped) for stamped in moment.commands)


def _is_visible(stamped: Stamped) -> bool:
    return isinstance(stamped.command, _TOLD_ACTS)


def _import(world: World, moment: ExportMoment) -> Imported:
    text = kubectl(world, f"kubectl get {'pods,events' if moment.has_events else 'pods'} -o yaml")
    now_ms = moment.header.epoch_s * SECOND + moment.at_ms
    return import_text(text, now_ms=now_ms, kubernetes=moment.header.kubernetes, past_ms_max=moment.past_ms_max)


def _past_problems(world: World, documents: dict[str, dict[str, Any]], imported: Imported, tally: ImportTally) -> Iterator[str]:
    """What is shown before the instant but cannot have happened, checked every half second."""
    restarts: dict[tuple[str, str], int] = {}
    for at_ms in [*range(0, imported.resume_ms, SECOND // 2), imported.resume_ms]:
        advance(world, until_ms=at_ms)
        for row in world.tables.pods.values():
            tally.looks += 1
            document = documents.get(row.name)
            if document is None or row.gone_ms is not None:
                yield f"at {at_ms} ms there is a pod {row.name} of which the text knows nothing"
                continue
            for problem in contradictions(document, row, world, restarts=restarts):
                yield f"at {at_ms} ms of the import {row.name}: {problem}"


def _instant_problems(exported: World, world: World) -> Iterator[str]:
    """Differences at the instant itself."""
    expected, found = rows_of(exported), rows_of(world)
    for name, document in expected.items():
        if name not in found:
            yield f"{name} is missing"
            continue
        yield from (f"{name} {problem}" for problem in differences(document, found[name]))
    line = "kubectl get pods"
    ours, theirs = (kubectl(shown, line).splitlines() for shown in (world, exported))
    yield from (f"{line}: {a!r} instead of {b!r}" for a, b in zip(ours, theirs, strict=False) if a != b)


def _message(number: int, problem: str) -> str:
    moment = random_moment(number)
    acts = "\n".join(f"  {stamped.at_ms} ms {msgspec.json.encode(stamped.command).decode()}" for stamped in moment.commands)
    pods = "\n".join(f"  {json.dumps(json.loads(manifest))}" for manifest in moment.header.manifests)
    again = f"python manage.py bench fuzz --documents 0 --runs 0 --imports 1 --first {number}"
    what = f"import {number} (Kubernetes {moment.header.kubernetes}) of {moment.at_ms} ms, {moment.past_ms_max} ms of past"
    return f"{what}{'' if moment.has_events else ', without Events'}: {problem}\n{pods}\n{acts}\nagain: {again}"
