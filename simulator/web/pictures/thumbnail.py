"""The thumbnail of a story: the lanes of its real run, including the acts that the story proposes."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.engine.projection.lanes import STATUS, DrawnLane, active_ms, chosen, lanes_of
from simulator.scenarios.play import play
from simulator.scenarios.story import Story
from simulator.web.pictures.bars import Frame, baselines, paths

WIDTH, HEIGHT = 300, 64
ROWS_MAX = 5
_PITCH_MAX = 21


class Thumbnail(Struct, frozen=True):
    """``markup`` is the content of an SVG of WIDTH by HEIGHT, ``told`` its description in words.

    ``words`` are the states, reasons and Events of the whole run, for the search.
    """

    markup: str
    until_ms: Ms
    words: tuple[str, ...]
    told: str


def thumbnail_of(story: Story) -> Thumbnail:
    """The picture of a built-in story's run, which is played once per process: 1 to 70 ms. Raises Elsewhere if others play for this one."""
    found = _KNOWN.get(story.slug)
    # setdefault: if two threads draw the same picture at once, one is kept.
    return found if found is not None else _KNOWN.setdefault(story.slug, _made(story))


def is_known(story: Story) -> bool:
    """Whether this process already has the story's picture."""
    return story.slug in _KNOWN


def learn(pictures: Mapping[str, Thumbnail]) -> None:
    """Add pictures of stories that other processes have drawn."""
    _KNOWN.update(pictures)


_KNOWN: dict[str, Thumbnail] = {}


def _made(story: Story) -> Thumbnail:
    records, until_ms = play(story)
    lanes = lanes_of(records, until_ms=until_ms)
    shown = chosen(lanes, limit=ROWS_MAX)
    end_ms = active_ms(shown, until_ms=until_ms)
    return Thumbnail("".join(drawn(shown, end_ms)), end_ms, tuple(_words(lanes, records)), told_lanes(shown))


def _words(lanes: Sequence[DrawnLane], records: Sequence[Record]) -> dict[str, None]:
    words = dict.fromkeys(span.word for lane in lanes for span in lane.spans)
    words |= dict.fromkeys(record.target for record in records if record.machine == "k8s_event")
    return words | dict.fromkeys(str(record.get("reason")) for record in records if record.machine == "condition" and record.get("reason"))


def drawn(lanes: Sequence[DrawnLane], until_ms: Ms) -> list[str]:
    """Lanes as the elements of an SVG of WIDTH by HEIGHT."""
    pitch = min(_PITCH_MAX, HEIGHT / max(1, len(lanes)))
    height = pitch * 0.72
    top = (HEIGHT - pitch * (len(lanes) - 1) - height) / 2
    frame = Frame(left=0, top=top, width=WIDTH, height=height, pitch=pitch, until_ms=until_ms)
    return [baselines(lanes, frame), *paths(lanes, frame)]


def told_lanes(lanes: Sequence[DrawnLane]) -> str:
    """The sequence of STATUS words, for readers who cannot see the picture. These are API words, which are not translated."""
    words = {lane.name: dict.fromkeys(span.word for span in lane.spans) for lane in lanes if lane.kind == STATUS}
    return "; ".join(f"{name}: {', '.join(told)}" for name, told in words.items())
