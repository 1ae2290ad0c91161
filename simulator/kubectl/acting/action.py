"""What a kubectl line that changes something amounts to: commands of the run, and the text kubectl prints when they are done."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.model.kinds import KindInfo
from simulator.engine.versions.span import Span
from simulator.engine.world.rows import PodRow
from simulator.kubectl.acting.attached import Attachment
from simulator.kubectl.find import NOTHING_NAMED, Picked, missing_text, pick
from simulator.kubectl.line import BadLine, EndedWith, Line
from simulator.kubectl.tables.model import Sight

OBJECTS_MAX = 50
"""The most objects that one line may change."""

_FLAGS_NAMED = Span(until=23)
"""The kubectl versions that list the flags that could have been given instead of a name."""
MANAGERS = {"apply": "kubectl-client-side-apply", **{verb: f"kubectl-{verb}" for verb in ("create", "expose", "replace", "run")}}
"""The field managers of the verbs that send whole objects. For the other verbs the manager is worked out from the fields
that are written, as for the button that does the same."""


class Step(Struct, frozen=True, kw_only=True):
    """One command. ``done`` is what kubectl prints when it is done, ``unchanged`` what it prints if nothing changed (None: the same).

    If the server refuses, ``failing`` is printed in front of its message, and so is ``source``, except for messages
    about an invalid object.
    """

    command: Command
    done: str = ""
    unchanged: str | None = None
    failing: str = ""
    source: str = ""
    printed: bool = False  # ``done`` comes from a printer and already ends as it should
    is_attached: bool = False  # it makes the pod that the line attaches to
    prefix: str = ""  # start of a name that the server generates; ``done`` ends its first word with it


class Recreation(Struct, frozen=True, kw_only=True):
    """What a line does once the objects that it has deleted are gone: ``steps``, by the ``line`` given again.

    ``patience_ms`` is how long it waits for that.
    """

    steps: tuple[Step, ...]
    patience_ms: Ms
    line: str = ""


class KubectlAction(Struct, frozen=True, kw_only=True):
    """The commands of a line, in order; ``said`` is printed before them and ``errors`` after them, one per line.

    ``filters`` are the commands it is piped into. ``waits`` is False if kubectl returns at once; ``patience_ms`` is how
    long it waits for what it deletes (0: no limit). ``attached`` is the pod that the line creates and then attaches to,
    ``recreation`` what follows the deletions of its steps.
    """

    steps: tuple[Step, ...]
    said: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    filters: tuple[tuple[str, ...], ...] = ()
    waits: bool = True
    patience_ms: Ms = 0
    attached: Attachment | None = None
    recreation: Recreation | None = None


class Target(Struct, frozen=True):
    """An object named on a line."""

    info: KindInfo
    document: Json

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.document["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Its namespace; empty for cluster-scoped kinds."""
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
    """The objects that a line (or ``words``, if given) names, and the errors for names that match no object. Raises BadLine.

    Without names, a selector or ``--all`` is required; ``every`` means ``--all`` was given.
    """
    asked = line if words is None else replace(line, words=tuple(words))
    if not asked.words and not asked.sent:
        raise BadLine(NOTHING_NAMED)
    picked = pick(asked, sight)
    # A type alone would mean every object of it: kubectl wants that spelled out.
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
    """The action made of these steps.

    Raises BadLine with the errors if there are no steps, or with ``nothing`` if there are no errors either; EndedWith if
    that is no failure.
    """
    action = KubectlAction(steps=tuple(steps), said=tuple(said), errors=tuple(errors))
    if not action.steps:
        text = "\n".join(filter(None, (*action.said, *action.errors))) or nothing
        if text and not action.errors and not text.startswith("error: "):
            raise EndedWith(text, 0)
        if text:
            raise BadLine(text)
    return action


def in_name_of(action: KubectlAction, line: Line) -> KubectlAction:
    """The action with the field manager filled in on every command that takes one: the manager the line names, or else its verb's."""
    manager = line.value("field-manager") or MANAGERS.get(line.verb.partition(" ")[0], "")
    steps = (
        replace(step, command=replace(step.command, manager=manager)) if getattr(step.command, "manager", None) == "" else step
        for step in action.steps
    )
    return replace(action, steps=tuple(steps)) if manager else action
