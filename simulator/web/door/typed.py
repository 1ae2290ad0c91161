"""The text shown next to a write on the timeline: the typed line, as far as the client reveals it, and who gave it.

kubectl sends the name of the command (``Kubectl-Command``), but not its arguments. If the page has a line for the act, that one is used.
"""

import re

from msgspec.structs import replace

from simulator.door.exchange import DoorRequest
from simulator.door.paths import ApiPath
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.targets import named_in
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.apiserver.store.creation import place_of_text
from simulator.engine.kernel.outside_text import one_line
from simulator.engine.world.world import World
from simulator.runs.services.commands import TYPED_MAX
from simulator.web.door.moments import AskedOf
from simulator.web.run.act_lines import act_line

GIVEN_BY_MAX = 80
_DRAIN = "kubectl drain"
_COMMAND = re.compile(r"kubectl( [a-z-]{1,20}){1,3}")
_NAMES_ITS_KIND = ("kubectl create ", "kubectl run")
"""Commands that already name the kind, and are followed only by a name: ``kubectl create job once``."""
_CLIENT = re.compile(r"[A-Za-z0-9._-]{1,30}/v?[0-9.]{1,12}")


def typed_line(asked: DoorRequest, place: ApiPath, command: AnyCommand, world: World) -> str:
    """A line such as ``kubectl cordon node-1``; ``world`` is the one before the command. Never empty."""
    if drained := _drained(asked, command, world):
        return one_line(f"kubectl drain {drained}", most=TYPED_MAX)
    line, said = act_line(world, _as_from_page(command)), _COMMAND.fullmatch(asked.command)
    if line and (said is None or line.startswith(said[0])):
        return one_line(line, most=TYPED_MAX)
    name = place.name or _created(command)
    is_told_by_command = bool(said and name and said[0].startswith(_NAMES_ITS_KIND))
    what = name if is_told_by_command else "/".join(filter(None, (place.plural, name, place.subresource)))
    space = f" --namespace={place.namespace}" if place.namespace not in ("", "default") else ""
    return one_line(f"{said[0] if said else asked.method} {what}{space}", most=TYPED_MAX)


def _drained(asked: DoorRequest, command: AnyCommand, world: World) -> str:
    """The node that kubectl drains with this request; empty if it does not. No other kubectl command evicts, and 1.20 sends no command."""
    if asked.command != _DRAIN and (asked.command or not asked.agent.startswith("kubectl/")):
        return ""
    if isinstance(command, CordonNode):
        return command.node if asked.command else ""
    if not isinstance(command, EvictPod | DeletePod):  # drain --disable-eviction deletes
        return ""
    row = world.tables.pods.get(named_in(world.tables, command).target)
    return row.node if row is not None and (asked.command or isinstance(command, EvictPod)) else ""


def session_of(of: AskedOf, asked: DoorRequest) -> str:
    """A key shared by the requests of one command line: kubectl since 1.22 sends its session. Empty if unknown."""
    session = asked.headers.get("kubectl-session", "")
    return f"{of.run_id} {of.key_id} {session}" if session else ""


def _as_from_page(command: AnyCommand) -> AnyCommand:
    """The command without the client's field manager, which the page's forms do not have."""
    return replace(command, manager="") if isinstance(command, ScaleWorkload) else command


def _created(command: AnyCommand) -> str:
    """The name of the object that a request creates, which its URL does not contain."""
    return place_of_text(command.documents[0], command.namespace)[2] if isinstance(command, ApplyManifest) else ""


def client_of(asked: DoorRequest) -> str:
    """The client program: ``kubectl/v1.37.1``; empty if its User-Agent has another form."""
    found = _CLIENT.match(asked.agent)
    return found[0] if found else ""


def giver_of(of: AskedOf, asked: DoorRequest) -> str:
    """The name of the key, and the client program."""
    return one_line(" · ".join(filter(None, (of.label, client_of(asked)))), most=GIVEN_BY_MAX)
