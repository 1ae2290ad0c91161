"""What stands beside a write on the timeline: the line that was typed, as far as a client tells it, and who gave it.

kubectl says which command it is at (``Kubectl-Command``), not with what words. Where the page knows a line for the act, that is the line.
"""

import re

from simulator.door.exchange import DoorRequest
from simulator.door.paths import ApiPath
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.kernel.outside_text import one_line
from simulator.engine.world.world import World
from simulator.runs.services.commands import TYPED_MAX
from simulator.web.door.moments import AskedOf
from simulator.web.run.act_lines import act_line

GIVEN_BY_MAX = 80
_COMMAND = re.compile(r"kubectl( [a-z-]{1,20}){1,3}")
_CLIENT = re.compile(r"[A-Za-z0-9._-]{1,30}/v?[0-9.]{1,12}")


def typed_line(asked: DoorRequest, place: ApiPath, command: AnyCommand, world: World) -> str:
    """``kubectl cordon node-1``; ``world`` is that before the command. Never empty."""
    line, said = act_line(world, command), _COMMAND.fullmatch(asked.command)
    if line and (said is None or line.startswith(said[0])):
        return one_line(line, most=TYPED_MAX)
    what = "/".join(filter(None, (place.plural, place.name, place.subresource)))
    return one_line(f"{said[0] if said else asked.method} {what}", most=TYPED_MAX)


def client_of(asked: DoorRequest) -> str:
    """The program: ``kubectl/v1.37.1``; empty for what names itself otherwise."""
    found = _CLIENT.match(asked.agent)
    return found[0] if found else ""


def giver_of(of: AskedOf, asked: DoorRequest) -> str:
    """The name of the key and the program."""
    return one_line(" · ".join(filter(None, (of.label, client_of(asked)))), most=GIVEN_BY_MAX)
