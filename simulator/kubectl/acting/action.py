"""What an acting line means: commands of the run, and the words in which kubectl tells that they are done."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.model.kinds import KindInfo
from simulator.engine.versions.span import Span
from simulator.engine.world.rows import PodRow
from simulator.kubectl.find import Picked, missing_text, pick
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

OBJECTS_MAX = 50
"""Objects that one line may change."""


_NOTHING_NAMED = """error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'"""
_FLAGS_NAMED = Span(until=23)
"""kubectl that names the flags that would have done in place of a name."""
MANAGERS = {"apply": "kubectl-client-side-apply", **{verb: f"kubectl-{verb}" for verb in ("create", "expose", "replace", "run")}}
"""The field managers of the verbs that send whole objects. What the others write is told from the fields: it is the act of a button."""


class Step(Struct, frozen=True, kw_only=True):
    """One command. ``done`` is what kubectl prints when it is done, ``unchanged`` where it changed nothing (None: the same).

    ``failing`` stands before the server's words where it refuses; ``source`` too, but for words about an invalid object.
    """

    command: Command
    done: str = ""
    unchanged: str | None = None
    failing: str = ""
    source: str = ""
    printed: bool = False  # ``done`` is what a printer wrote, with its own end
    prefix: str = ""  # how a name begins that the server makes up; ``done`` ends its first word with it


class KubectlAction(Struct, frozen=True, kw_only=True):
    """The commands of a line in their order; ``said`` is printed before them, ``errors`` after them, each a line.

    ``filters`` are the commands behind its pipe, which what is printed goes through. ``waits`` is off where kubectl comes back at once,
    ``patience_ms`` is how long it waits for what it deletes (0: as long as it takes).
    """

    steps: tuple[Step, ...]
    said: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    filters: tuple[tuple[str, ...], ...] = ()
    waits: bool = True
    patience_ms: Ms = 0


class Target(Struct, frozen=True):
    """An object that a line names."""

    info: KindInfo
    document: Json

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.document["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Its namespace; empty for a kind without."""
        return str(self.document["metadata"].get("namespace") or "")

    @property
    def full_name(self) -> str:
        """As kubectl prints it: ``pod/web``, ``deployment.apps/web``."""
        group = f".{self.info.group}" if self.info.group else ""
        return f"{self.info.singular}{group}/{self.name}"

    def pod(self, sight: Sight) -> PodRow:
        """The row of a pod."""
        row = sight.world.live_pod(self.namespace, self.name)
        assert row is not None, "a pod that is shown has a row"
        return row


def targets(line: Line, sight: Sight, words: Iterable[str] | None = None, *, every: bool = False) -> tuple[list[Target], list[str]]:
    """The objects that a line (or these words of it) names, and the errors about names that no object has. Raises BadLine.

    Without names a selector is needed, or ``--all``; ``every`` says that it is given.
    """
    asked = line if words is None else replace(line, words=tuple(words))
    if not asked.words and not asked.sent:
        raise BadLine(_NOTHING_NAMED)
    picked = pick(asked, sight)
    # A type alone would mean all of them: kubectl wants that said.
    if any(item.is_list for item in picked) and not asked.value("selector") and not asked.value("field-selector") and not every:
        flags = ", label selector, or --all flag" if _FLAGS_NAMED.holds_for(sight.minor) else " was"
        raise BadLine(f"error: resource(s) were provided, but no name{flags} specified")
    found = [Target(item.info, document) for item in picked for document in item.items]
    if len(found) > OBJECTS_MAX:
        raise BadLine(f"error: this command line changes at most {OBJECTS_MAX} objects at once")
    return found, list(_missing(picked))


def _missing(picked: Iterable[Picked]) -> Iterator[str]:
    for item in picked:
        yield from missing_text(item)


def made(steps: Iterable[Step], errors: Iterable[str], *, said: Iterable[str] = (), nothing: str = "No resources found") -> KubectlAction:
    """The action of these steps. Raises BadLine where there is nothing to do but errors to tell; ``nothing``: what is said where there
    are none of these either."""
    action = KubectlAction(steps=tuple(steps), said=tuple(said), errors=tuple(errors))
    if not action.steps:
        text = "\n".join((*action.said, *action.errors)) or nothing
        if text:
            raise BadLine(text)
    return action


def in_name_of(action: KubectlAction, line: Line) -> KubectlAction:
    """The action whose commands say which field manager sends them, where they can: the one that the line names, else its verb's."""
    manager = line.value("field-manager") or MANAGERS.get(line.verb.partition(" ")[0], "")
    steps = (
        replace(step, command=replace(step.command, manager=manager)) if getattr(step.command, "manager", None) == "" else step
        for step in action.steps
    )
    return replace(action, steps=tuple(steps)) if manager else action
