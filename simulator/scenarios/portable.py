"""A whole scenario as one text: the contents of a file that is exported from one site and imported into another, or of a link's fragment.

The format is JSON. It is read strictly, and everything in it is checked as if it had been typed in: the manifests by
the API server's checks, the cluster by its rules, and the whole by playing it once up to where it was left.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from msgspec import UNSET, Struct, UnsetType

from simulator.engine.acts.all_acts import COMMAND, AnyCommand, Stamped
from simulator.engine.apiserver.wire.formats import is_quantity
from simulator.engine.containers.declared import BadBehaviour, parse_block
from simulator.engine.containers.docker import NAMES as RUNTIMES
from simulator.engine.course.header import REVISION, RunHeader, ScriptStep
from simulator.engine.course.replay import Course
from simulator.engine.kernel.errors import EngineError, EngineFailed
from simulator.engine.kernel.json_text import TooDeep
from simulator.engine.kernel.outside_text import one_line
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms
from simulator.engine.model.system import NAMES as SYSTEMS
from simulator.engine.model.times import EPOCH_S_MAX
from simulator.engine.network.internet import CHOICES
from simulator.engine.past.document import Past
from simulator.engine.versions import MINORS, BadGate, resolve
from simulator.engine.world.cluster import ClusterSpec
from simulator.imports.read import value_problem
from simulator.manifests.check.check import check_text
from simulator.manifests.problems import ERROR
from simulator.manifests.script.cluster import NODES_MAX, default_cluster, runtime_problem
from simulator.runs.log.content import Content, Source
from simulator.scenarios.portable_texts import act_problems, deep_texts, name_problems, node_problems, too_deep_problem

VERSION = 1
"""The version of the format. Files of every earlier version stay readable."""
TEXT_MAX = 2_000_000
TITLE_MAX = 120
SEED_MAX = 2**31 - 1
_IMAGES_MAX = 1000
TRY_WORK = 100_000
"""How far a scenario is tried before it is accepted, in units of work (engine/world/work.py): 0.5 to 2 s of one core."""
_PROBLEMS_MAX = 20

ActRow = dict[str, Any]
"""A command's tag as ``do`` with its fields, and its moment as ``at_ms``."""


class ScenarioFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The file.

    ``manifests`` is YAML of what exists at 0, including behaviour annotations. If it was not written by a user,
    ``objects`` are the JSON texts of what exists, and ``manifests`` is only shown. ``acts`` are the commands given so
    far, ``until_ms`` is where it was left.
    """

    podscope: int
    kubernetes: str
    title: str = ""
    manifests: str = ""
    objects: tuple[str, ...] | None = None
    seed: int = 1
    jitter: bool = True
    namespace: str = "default"
    gates: dict[str, bool] = {}
    acts: tuple[ActRow, ...] = ()
    until_ms: Ms = 0
    cluster: ClusterSpec | None = None
    script: tuple[ScriptStep, ...] = ()
    epoch_s: int = RunHeader(kubernetes="").epoch_s
    scenario: str = ""
    past: Past | UnsetType = UNSET


FILE: Typed[ScenarioFile] = Typed(ScenarioFile)
ANYTHING: Typed[Any] = Typed(Any)


class Limits(Struct, frozen=True):
    """The limits for what the site accepts."""

    commands_max: int
    until_ms_max: Ms


class BadFile(ValueError):
    """A text that is not a valid scenario. ``problems`` are sentences for the user who sent it, each naming its position."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def file_text(content: Content, *, title: str, indent: int = 2) -> str:
    """The file for a content. With ``indent`` 0 it is a single line, as in links. Costs a check of the manifests."""
    header = content.header
    is_source = _objects_of(content.source.manifests, header) == header.manifests
    in_order = sorted(content.commands, key=lambda item: (item.at_ms, item.n))
    file = ScenarioFile(
        podscope=VERSION,
        title=title,
        manifests=content.source.manifests,
        objects=None if is_source else header.manifests,
        acts=tuple({"at_ms": item.at_ms, **_plain(item.command)} for item in in_order),
        until_ms=content.until_ms,
        cluster=None if header.cluster == default_cluster() else header.cluster,
        kubernetes=header.kubernetes,
        seed=header.seed,
        jitter=header.jitter,
        namespace=header.namespace,
        gates=header.gates,
        script=header.script,
        epoch_s=header.epoch_s,
        scenario=header.scenario,
        past=header.past,
    )
    text = msgspec.json.encode(file)
    return msgspec.json.format(text, indent=indent or -1).decode() + ("\n" if indent else "")


def read_file(text: str, limits: Limits) -> tuple[Content, str]:
    """The content of a file and its title. Raises BadFile.

    Costs the checks of its manifests and of playing it, at most TRY_WORK. A file that was left later than that is
    accepted as well: a runner plays the rest.
    """
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_MAX:
        raise BadFile(_("The file is too large: at most 2 MB."))
    file = _decoded(text)
    problems = [*_header_problems(file, limits), *(_cluster_problems(file.cluster) if file.cluster else ())]
    if problems:
        raise BadFile(*problems[:_PROBLEMS_MAX])
    cluster = file.cluster or default_cluster()
    header = RunHeader(
        kubernetes=file.kubernetes,
        seed=file.seed,
        jitter=file.jitter,
        namespace=file.namespace,
        gates=file.gates,
        cluster=cluster,
        manifests=_manifests(file),
        script=file.script,
        epoch_s=file.epoch_s,
        revision=REVISION,
        scenario=file.scenario,
        past=file.past,
    )
    content = Content(header=header, source=Source(manifests=file.manifests), commands=_commands(file), until_ms=file.until_ms)
    _try(content)
    return content, one_line(file.title, most=TITLE_MAX)


def _objects_of(manifests: str, header: RunHeader) -> tuple[str, ...] | None:
    checked = check_text(manifests, kubernetes=header.kubernetes, namespace=header.namespace, gates=header.gates)
    return tuple(document.json for document in checked.documents) if checked.ok else None


def _plain(command: AnyCommand) -> ActRow:
    plain: ActRow = msgspec.to_builtins(command)
    return plain


def _decoded(text: str) -> ScenarioFile:
    try:
        version = ANYTHING.from_outside(text)
    except TooDeep:
        raise BadFile(too_deep_problem("")) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise BadFile(_("This is not a Podscope scenario: the text is not JSON (%(error)s).") % {"error": error}) from None
    if not isinstance(version, dict) or not isinstance(version.get("podscope"), int):
        raise BadFile(_("This is not a Podscope scenario: the field podscope, which gives the format version, is missing."))
    if version["podscope"] != VERSION:
        raise BadFile(_("podscope: this release reads format version %(known)d, not %(found)d.") % _versions(version["podscope"]))
    if problems := [*islice(deep_texts(version), _PROBLEMS_MAX)]:
        raise BadFile(*problems)
    try:
        return FILE.from_plain(version)
    except msgspec.ValidationError as error:
        raise BadFile(_placed(str(error))) from None


def _versions(found: int) -> dict[str, int]:
    return {"known": VERSION, "found": found}


def _placed(message: str) -> str:
    """msgspec's message with the field first: ``seed: Expected `int`, got `str```."""
    problem, _at, place = message.partition(" - at `$.")
    return f"{place.removesuffix('`')}: {problem}" if place else problem


def _header_problems(file: ScenarioFile, limits: Limits) -> Iterator[str]:
    if file.kubernetes not in MINORS:
        yield _("kubernetes: %(found)s is not a version from %(first)s to %(last)s.") % _minors(file.kubernetes)
    else:
        try:
            resolve(file.kubernetes, file.gates)
        except BadGate as error:
            yield f"gates.{error.gate}: {error.problem}"
        problem = runtime_problem(file.cluster.runtime, file.kubernetes) if file.cluster else ""
        if problem:
            yield f"cluster.runtime: {problem}"
    if not 0 <= file.seed <= SEED_MAX:
        yield _("seed: must be a whole number from 0 to %(most)d.") % {"most": SEED_MAX}
    if not 0 <= file.until_ms <= limits.until_ms_max:
        yield _("until_ms: at most %(most)d, the longest a run can be.") % {"most": limits.until_ms_max}
    if len(file.acts) > limits.commands_max:
        yield _("acts: at most %(most)d.") % {"most": limits.commands_max}
    yield from name_problems(file.namespace, file.scenario)
    yield from _past_problems(file.past)
    if not 0 <= file.epoch_s <= EPOCH_S_MAX:
        yield _("epoch_s: seconds since 1970.")


def _past_problems(past: Past | UnsetType) -> Iterator[str]:
    """Imported pods that cannot come from a cluster."""
    for n, pod in enumerate(past.pods if isinstance(past, Past) else ()):
        document = _map_of(pod.document)
        if isinstance(document, str):
            yield f"past.pods[{n}].document: {document}"
        elif problem := value_problem(document):
            yield f"past.pods[{n}].document: {problem[0]}: {problem[1]}"


def _map_of(text: str) -> dict[str, Any] | str:
    """The map in a JSON text, or a message about what is wrong with it."""
    try:
        found = ANYTHING.from_outside(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        return str(error)
    return found if isinstance(found, dict) else _("must be a map")


def _minors(found: str) -> dict[str, str]:
    return {"found": found[:20], "first": MINORS[0], "last": MINORS[-1]}


def _cluster_problems(cluster: ClusterSpec) -> Iterator[str]:
    """What would be refused in a cluster file (manifests/script/cluster.py), in the terms of this format."""
    names = [node.name for node in cluster.nodes]
    if len(names) > NODES_MAX:
        yield _("cluster.nodes: at most %(most)d.") % {"most": NODES_MAX}
    if len(set(names)) < len(names) or "" in names:
        yield _("cluster.nodes: each node needs a unique name.")
    if len(cluster.images) > _IMAGES_MAX:
        yield _("cluster.images: at most %(most)d.") % {"most": _IMAGES_MAX}
    for place, value, known in (
        ("runtime", cluster.runtime, RUNTIMES),
        ("internet", cluster.internet, CHOICES),
        ("unlisted_images", cluster.unlisted_images, ("pullable", "missing")),
    ):
        if value not in known:
            yield _one_of(f"cluster.{place}", known)
    for n, node in enumerate(cluster.nodes):
        yield from node_problems(f"cluster.nodes[{n}]", node)
        if node.os not in SYSTEMS:
            yield _one_of(f"cluster.nodes[{n}].os", SYSTEMS)
        for field in ("capacity", "allocatable"):
            for name, quantity in getattr(node, field).items():
                if not is_quantity(quantity):
                    yield _("%(place)s: %(found)s is not a valid quantity.") % {
                        "place": f"cluster.nodes[{n}].{field}.{name}",
                        "found": quantity[:40],
                    }
    for name, block in cluster.stand_ins.items():
        try:
            parse_block(block)
        except BadBehaviour as error:
            yield f"cluster.stand_ins.{name}: {error}"


def _one_of(place: str, known: tuple[str, ...]) -> str:
    return _("%(place)s: must be one of %(known)s.") % {"place": place, "known": ", ".join(known)}


def _manifests(file: ScenarioFile) -> tuple[str, ...]:
    """The objects of the file. Raises BadFile with the lines of what the API server would not accept."""
    no_maps = (f"objects[{n}]: {found}" for n, text in enumerate(file.objects or ()) if isinstance(found := _map_of(text), str))
    if problems := [*islice(no_maps, _PROBLEMS_MAX)]:
        raise BadFile(*problems)
    place, text = ("manifests", file.manifests) if file.objects is None else ("objects", "\n---\n".join(file.objects))
    checked = check_text(text, kubernetes=file.kubernetes, namespace=file.namespace, gates=file.gates)
    errors = [problem for problem in checked.problems if problem.severity == ERROR and problem.code != "empty"]
    if errors:
        values = ({"place": place, "line": problem.line, "message": problem.message} for problem in errors[:_PROBLEMS_MAX])
        raise BadFile(*(_("%(place)s, line %(line)d: %(message)s") % item for item in values))
    if file.objects is not None:
        return file.objects
    if not checked.documents and not file.acts:
        raise BadFile(_("manifests: this text contains no objects."))
    return tuple(document.json for document in checked.documents)


def _commands(file: ScenarioFile) -> tuple[Stamped, ...]:
    found = []
    for n, row in enumerate(file.acts, start=1):
        at_ms, place = row.get("at_ms"), f"acts[{n - 1}]"
        if not isinstance(at_ms, int) or isinstance(at_ms, bool) or not 0 <= at_ms <= file.until_ms:
            raise BadFile(_("%(place)s.at_ms: must be a whole number from 0 to until_ms.") % {"place": place})
        if problems := [*act_problems(place, row)]:
            raise BadFile(*problems)
        try:
            command = COMMAND.from_plain({name: value for name, value in row.items() if name != "at_ms"})
        except msgspec.ValidationError as error:
            raise BadFile(f"{place}.{_placed(str(error))}") from None
        found.append(Stamped(at_ms=at_ms, n=n, command=command))
    if [item.at_ms for item in found] != sorted(item.at_ms for item in found):
        raise BadFile(_("acts: must be in chronological order."))
    return tuple(found)


def _try(content: Content) -> None:
    """Play the scenario up to where it was left, or as far as TRY_WORK allows."""
    try:
        Course(content.header, content.commands).drive(content.until_ms, limit=TRY_WORK)
    except EngineFailed as failed:
        # A file written by hand may contain what no run ever had; which part of the engine fails first cannot be
        # predicted.
        error = str(failed) if isinstance(failed.__cause__, EngineError) else str(failed)[:200]
        raise BadFile(_("This scenario cannot be played: %(error)s") % {"error": error}) from failed
