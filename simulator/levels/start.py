"""Where a level begins: the header of its run, earlier acts, and the moment at which the learner takes over."""

from functools import lru_cache

from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.units import Ms
from simulator.engine.versions import MINORS, BadGate, resolve
from simulator.engine.versions.usual import TYPED
from simulator.levels.level import Level
from simulator.levels.reading import HORIZON_MAX_MS, BadLevel
from simulator.manifests.check.check import check_text
from simulator.manifests.problems import ERROR
from simulator.manifests.read.loader import without_passed
from simulator.manifests.script.cluster import default_cluster, read_cluster, runtime_problem
from simulator.manifests.script.script import read_script
from simulator.runs.log.content import Content, Source
from simulator.scenarios.build import story_content
from simulator.scenarios.portable import BadFile, Limits, read_file
from simulator.scenarios.story import HERE, read_story

_LIMITS = Limits(commands_max=200, until_ms_max=HORIZON_MAX_MS)


class LevelStart(Struct, frozen=True, kw_only=True):
    """A beginning at one seed. ``commands`` were given before ``at_ms``, when the learner takes over."""

    header: RunHeader
    source: Source
    commands: tuple[Stamped, ...] = ()
    at_ms: Ms = 0


def start_of(level: Level, *, seed: int) -> LevelStart:
    """The beginning of a level at a seed; ``happens`` is part of its header. Raises BadLevel. Checks the manifests, once."""
    begun = _begun(_origin(level))
    steps = tuple(sorted((*begun.header.script, *level.event_steps()), key=lambda step: step.at_ms))
    header = replace(begun.header, seed=seed, script=steps)
    return LevelStart(header=header, source=begun.source, commands=begun.commands, at_ms=begun.until_ms)


def given_acts(start: LevelStart) -> list[tuple[Ms, str]]:
    """The acts in a run of the level that are not the learner's: the moment and tag of each."""
    acts = [(step.at_ms, step.command) for step in start.header.script]
    acts += [(stamped.at_ms, stamped.command) for stamped in start.commands if stamped.at_ms is not None]
    return [(at_ms, str(command.__struct_config__.tag)) for at_ms, command in acts]


class _Origin(Struct, frozen=True):
    """Everything that a level's beginning depends on: the cache key, so that all plays share one beginning."""

    story: str
    manifests: str
    cluster: str
    script: str
    scenario: str
    kubernetes: str
    gates: tuple[tuple[str, bool], ...]
    jitter: bool


def _origin(level: Level) -> _Origin:
    texts = (level.story, level.manifests, level.cluster, level.script, level.scenario, level.kubernetes)
    return _Origin(*texts, tuple(sorted(level.gates.items())), level.jitter)


@lru_cache(maxsize=96)
def _begun(level: _Origin) -> Content:
    gates = dict(level.gates)
    if level.scenario:
        return _from_scenario(level)
    content = _from_story(level) if level.story else _from_manifests(level)
    header = content.header
    kubernetes = level.kubernetes or header.kubernetes
    try:
        resolve(kubernetes, gates)
    except BadGate as error:
        raise BadLevel(f"gates.{error.gate}: {error.problem}") from None
    return replace(
        content, header=replace(header, kubernetes=kubernetes, gates={**header.gates, **gates}, jitter=header.jitter and level.jitter)
    )


def _version(level: _Origin) -> str:
    if level.kubernetes and level.kubernetes not in MINORS:
        raise BadLevel(
            _("kubernetes: %(found)s is not a version from %(first)s to %(last)s.")
            % {"found": level.kubernetes[:20], "first": MINORS[0], "last": MINORS[-1]}
        )
    return level.kubernetes or TYPED


def _from_scenario(level: _Origin) -> Content:
    try:
        content, _title = read_file(level.scenario, _LIMITS)
    except BadFile as error:
        raise BadLevel(*(f"scenario: {problem}" for problem in error.problems)) from None
    return content


def _from_story(level: _Origin) -> Content:
    _version(level)
    folder = HERE / level.story
    if not level.story.replace("-", "").isalnum() or not (folder / "scenario.toml").is_file():
        raise BadLevel(_("story: there is no story %(name)s.") % {"name": level.story[:50]})
    return story_content(read_story(folder))


def _from_manifests(level: _Origin) -> Content:
    kubernetes = _version(level)
    checked = check_text(level.manifests, kubernetes=kubernetes, gates=dict(level.gates))
    cluster = read_cluster(level.cluster) if level.cluster else None
    script = read_script(level.script, kubernetes=kubernetes, gates=dict(level.gates)) if level.script else None
    found = [
        *((("manifests", problem) for problem in checked.problems) if level.manifests else ()),
        *(("cluster", problem) for problem in (cluster.problems if cluster else ())),
        *(("script", problem) for problem in (script.problems if script else ())),
    ]
    errors = [
        _("%(place)s, line %(line)d: %(message)s") % {"place": place, "line": problem.line, "message": problem.message}
        for place, problem in found
        if problem.severity == ERROR
    ]
    spec = cluster.spec if cluster else default_cluster()
    if problem := runtime_problem(spec.runtime, kubernetes):
        errors.append(f"cluster.runtime: {problem}")
    if errors:
        raise BadLevel(*errors)
    header = RunHeader(
        kubernetes=kubernetes,
        cluster=spec,
        manifests=tuple(document.json for document in checked.documents),
        script=script.steps if script else (),
    )
    return Content(header=header, source=Source(manifests=without_passed(level.manifests, checked.passed)))
