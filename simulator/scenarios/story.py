"""Read the built-in stories from their folders."""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from simulator.engine.acts.all_acts import COMMAND
from simulator.engine.course.header import ScriptStep
from simulator.engine.kernel.typed import Typed
from simulator.engine.world.cluster import ImageSpec
from simulator.scenarios.act_texts import with_json
from simulator.scenarios.asks import Ask
from simulator.scenarios.expect import Expectation
from simulator.scenarios.grading.spans import check_spans, span_ms

HERE = Path(__file__).resolve().parent
LEVELS = ("basic", "intermediate", "advanced")


ActRow = dict[str, str | int | bool | list[str]]
"""An act in a story: a command's tag as ``do`` with its fields, and its moment as ``at``."""


class StoryCluster(Struct, frozen=True, forbid_unknown_fields=True):
    """What a story's cluster has in addition to the defaults."""

    images: tuple[ImageSpec, ...] = ()


class StoryStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a story. ``done`` is what a run's records show once it has happened; without it the reader ticks off the line.

    ``acts`` are those of a reader who follows only this line, if the story's ``answer`` does something else.
    """

    text: str
    done: Expectation | None = None
    acts: tuple[ActRow, ...] = ()


class Story(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"tries": "try", "asks": "ask"}):
    """A built-in story as its ``scenario.toml`` describes it.

    ``tries`` are things to click, ``watch`` things to observe; both may contain `code` in backticks. ``rate`` is the
    initial speed in permille of real time, ``landing`` marks the story on the front page, ``track`` names one of
    ``tracks.TRACKS``. ``asks`` are predictions along the way. ``answer`` are the acts of a reader who follows the
    story, as tables of a command with ``at``; ``expect`` is what the records must then show. ``sweep`` are the acts for
    a sweep if those of the answer would write the very field that it varies.
    """

    order: int
    track: str
    title: str
    summary: str
    level: str
    minutes: int
    tags: tuple[str, ...]
    docs_title: str
    docs_url: str
    kubernetes: str
    seed: int
    rate: int
    about: tuple[str, ...]
    tries: tuple[StoryStep, ...]
    watch: tuple[StoryStep, ...]
    expect: tuple[Expectation, ...]
    asks: tuple[Ask, ...] = ()
    answer: tuple[ActRow, ...] = ()
    sweep: tuple[ActRow, ...] = ()
    cluster: StoryCluster = StoryCluster()
    credit: str = ""
    jitter: bool = True
    landing: bool = False
    slug: str = ""
    manifest: str = ""

    def answer_steps(self) -> tuple[ScriptStep, ...]:
        """The acts of ``answer`` as script steps. Raises msgspec.ValidationError for an invalid one."""
        return acts_of(self.answer)

    def sweep_steps(self) -> tuple[ScriptStep, ...]:
        """The acts that are given in every run of a sweep. Raises msgspec.ValidationError for an invalid one."""
        return acts_of(self.sweep or self.answer)

    def texts(self) -> Iterator[str]:
        """Every sentence of the story that a reader sees, in the order of the file."""
        yield self.title
        yield self.summary
        yield self.docs_title
        if self.credit:
            yield self.credit
        yield from self.about
        yield from (step.text for step in self.steps())
        for ask in self.asks:
            yield ask.question
            yield from (text for choice in ask.choices for text in (choice.text, choice.why) if text)

    def steps(self) -> tuple[StoryStep, ...]:
        """What to try, then what to watch for."""
        return (*self.tries, *self.watch)


STORY: Typed[Story] = Typed(Story)


def acts_of(rows: Iterable[ActRow]) -> tuple[ScriptStep, ...]:
    """Acts as script steps. Raises msgspec.ValidationError for an invalid one, ValueError for an object in it that cannot be read."""
    return tuple(_act(row) for row in rows)


def _act(row: ActRow) -> ScriptStep:
    fields = {name: value for name, value in row.items() if name != "at"}
    if fields.get("do") == "create":  # a verb of its own in scripts
        fields |= {"do": "apply", "create": True}
    check_spans(at=str(row["at"]))
    return ScriptStep(at_ms=span_ms(str(row["at"])), command=COMMAND.from_plain(with_json(fields)))


def read_story(folder: Path) -> Story:
    """The story in ``folder``. Raises msgspec.ValidationError or tomllib.TOMLDecodeError for an invalid file."""
    table = tomllib.loads((folder / "scenario.toml").read_text(encoding="utf-8"))
    table["slug"] = folder.name
    table["manifest"] = (folder / "manifest.yaml").read_text(encoding="utf-8")
    return STORY.from_plain(table)


def read_stories(root: Path = HERE) -> tuple[Story, ...]:
    """All stories below ``root`` in reading order."""
    folders = sorted(path.parent for path in root.glob("*/scenario.toml"))
    return tuple(sorted((read_story(folder) for folder in folders), key=lambda story: story.order))
