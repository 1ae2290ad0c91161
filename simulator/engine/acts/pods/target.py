"""Which pod a key refers to at the moment of a command."""

from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.kernel.units import Key
from simulator.engine.world.effects import Effects


def target_pod(fx: Effects, key: Key) -> Key:
    """The pod whose containers a key refers to: that very pod while anything of it exists, else the one that took over its name.

    A pod whose object is gone may still have running containers (the ghost of a force delete). Raises Refusal if there is no pod.
    """
    row = fx.tables.pods.get(key)
    is_there = row is not None and (row.gone_ms is None or any(item.runs for item in fx.tables.instances.get(key, ())))
    # A key with "#" refers to that very pod and never its successor.
    if not is_there and "#" not in key:
        namespace, _, name = key.partition("/")
        row = fx.world.live_pod(namespace, name) or row
    if row is None:
        raise Refusal("COMMAND-NO-POD")
    return row.key
