"""Golden stories as objects that can be replayed: which rows of which machines each uses, and its outcome."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import Record, RunHeader, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.kernel.machine import Machine, Row
from simulator.engine.rules.machine_tables import ALL
from simulator.engine.world.world import Tables
from tests.engine.worlds import header, run
from tests.yaml_texts import read_yaml

FOLDER = Path(__file__).parent / "golden"


class Story(Struct, frozen=True, eq=False):
    """A golden story, ready to be played. Equal only to itself, so that its results can be cached."""

    name: str
    head: RunHeader
    seconds: float
    commands: tuple[tuple[float, AnyCommand], ...]

    def play(self) -> tuple[World, list[Record]]:
        """The world at the story's end and all its records."""
        return run(self.head, self.seconds, *self.commands)

    def played(self) -> tuple[World, list[Record]]:
        """Like ``play``, but played only once per process, with unchanged rows: for read-only use."""
        return _watched_play(self)[0]

    def rows(self) -> frozenset[tuple[str, str]]:
        """The rows that the story uses, each by its machine's name and its id."""
        return _watched_play(self)[1]


@cache
def _watched_play(story: Story) -> tuple[tuple[World, list[Record]], frozenset[tuple[str, str]]]:
    used: dict[tuple[str, str], bool] = {}
    with watched(used):
        return story.play(), frozenset(used)


@cache
def read(path: Path) -> Story:
    """The story in a golden file."""
    return told(path.stem, read_yaml(path.read_text(encoding="utf-8").partition("\n----\n")[0]))


def told(name: str, given: dict[str, Any]) -> Story:
    """The story with these values."""
    commands = tuple((step.pop("at"), msgspec.convert(step, type=AnyCommand)) for step in given.get("commands", []))
    more = {"nodes": given.get("nodes", 1), "gates": given.get("gates", {}), "images": given.get("images", ())}
    if "runtime" in given:
        more["runtime"] = given["runtime"]
    head = header(*given["pods"], kubernetes=str(given["kubernetes"]), **more)
    return Story(name, head, given["for"], commands)


@cache
def all_stories() -> tuple[Story, ...]:
    """Every golden story, the shortest (by its records) first."""
    found = [read(path) for path in sorted(FOLDER.glob("*.txt"))]
    return tuple(sorted(found, key=lambda story: len(story.played()[1])))


@contextmanager
def watched(used: dict[tuple[str, str], bool]) -> Iterator[None]:
    """Record every row that is taken from a machine, by the machine's name and the row's id."""
    for machine in ALL:
        machine.kept.clear()  # a cached row would not be looked up again
    pick, decided, word = Machine.pick, Machine.decided, Machine.word

    def noted(machine: Machine[Any], row: Row | None) -> None:
        if row is not None:
            used[(machine.name, row.id)] = True

    def watched_pick(self: Machine[Any], *args: Any) -> Row | None:
        row = pick(self, *args)
        noted(self, row)
        return row

    def watched_decided(self: Machine[Any], *args: Any) -> Row:
        row = decided(self, *args)
        noted(self, row)
        return row

    def watched_word(self: Machine[Any], rule: str, text: str, *args: Any) -> str:
        with suppress(KeyError):  # a word of its own
            noted(self, decided(self, rule, *args))
        return word(self, rule, text, *args)

    Machine.pick, Machine.decided, Machine.word = watched_pick, watched_decided, watched_word  # type: ignore[method-assign]
    try:
        yield
    finally:
        Machine.pick, Machine.decided, Machine.word = pick, decided, word  # type: ignore[method-assign]


@cache
def stories_by_row() -> dict[tuple[str, str], list[Story]]:
    """By machine and row: the stories that use the row, the shortest first."""
    found: dict[tuple[str, str], list[Story]] = {(machine.name, row.id): [] for machine in ALL for row in machine.rows}
    for story in all_stories():
        for key in story.rows():
            found[key].append(story)
    return found


@contextmanager
def with_target(machine: Machine[Any], row: Row, target: str) -> Iterator[None]:
    """Let a row of a machine lead to another state."""
    rows = machine.rows
    machine.use(tuple(replace(item, target=target) if item is row else item for item in rows))
    try:
        yield
    finally:
        machine.use(rows)


def outcome(story: Story, machine: str, rule: str) -> tuple[Any, ...]:
    """The outcome of a story except for the word in records of this machine and rule: everything else, and the world's rows."""
    try:
        return _but_for(story.play(), machine, rule)
    except Exception as problem:  # noqa: BLE001 - whatever stops the engine is a difference too
        return (type(problem).__name__,)


def _but_for(played: tuple[World, list[Record]], machine: str, rule: str) -> tuple[Any, ...]:
    world, records = played
    told = [replace(record, target="") if (record.machine, record.rule) == (machine, rule) else record for record in records]
    return (told, {name: getattr(world.tables, name) for name in Tables.__slots__})


def usual(story: Story, machine: str, rule: str) -> tuple[Any, ...]:
    """The outcome with unchanged rows."""
    return _but_for(story.played(), machine, rule)
