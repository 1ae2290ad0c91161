"""The arithmetic of a rollout: its bounds, and how a change of size is shared. Pure functions.

Percentages round in opposite directions: maxSurge up, maxUnavailable down. Both lean to the side of
availability. If both come to 0 no step would be possible, so maxUnavailable becomes 1.

Sharing works in max-replicas, not in replicas: each ReplicaSet is scaled by (new upper bound /
upper bound when it was last sized), rounded half up; what rounding leaves over goes to the first,
the largest.

Source: pkg/controller/deployment/util/deployment_util.go ResolveFenceposts, NewRSNewReplicas,
GetProportion; rolling.go.
"""

from collections.abc import Sequence

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.model import disruption

ROLLING, RECREATE = "RollingUpdate", "Recreate"


class Bounds(Struct, frozen=True, kw_only=True):
    """The bounds of a Deployment: ``wanted`` pods, at most ``surge`` more, at most ``missing`` that are not available."""

    wanted: int
    surge: int = 0
    missing: int = 0
    is_rolling: bool = True

    @property
    def most(self) -> int:
        """How many pods all ReplicaSets together may request."""
        return self.wanted + self.surge

    @property
    def least(self) -> int:
        """How many pods must be available."""
        return self.wanted - self.missing


def bounds_of(spec: Json) -> Bounds:
    """The bounds of a Deployment's spec: a percentage of the surge is rounded up, one of the missing down; both 0 become 0 and 1."""
    wanted = 1 if spec.get("replicas") is None else int(spec["replicas"])
    strategy = spec.get("strategy") or {}
    if strategy.get("type", ROLLING) != ROLLING:
        return Bounds(wanted=wanted, is_rolling=False)
    rolling = strategy.get("rollingUpdate") or {}
    surge = disruption.scaled(rolling.get("maxSurge", "25%"), wanted)
    missing = disruption.scaled(rolling.get("maxUnavailable", "25%"), wanted, round_up=False)
    if not surge and not missing:
        missing = 1
    return Bounds(wanted=wanted, surge=surge, missing=min(missing, wanted))


def grown(bounds: Bounds, total: int, size: int) -> int:
    """The size to which the new ReplicaSet of ``size`` may grow, while all of them request ``total`` pods."""
    if not bounds.is_rolling:
        return bounds.wanted
    return size if total >= bounds.most else size + min(bounds.most - total, bounds.wanted - size)


def removable(bounds: Bounds, total: int, pending: int) -> int:
    """How many old pods may go although ``pending`` new ones are not available yet. May be below 0."""
    return total - bounds.least - pending


def proportion(size: int, former: int, bounds: Bounds, to_add: int, added: int) -> int:
    """The share of a ReplicaSet of ``size`` in ``to_add`` pods, of which ``added`` are already given away.

    ``former``: how many pods were allowed in total when it was last sized. Below 0 if pods are removed.
    """
    if not size or not to_add or to_add == added:
        return 0
    share = -size if not bounds.wanted else _rounded(size * bounds.most, former) - size
    return min(share, to_add - added) if to_add > 0 else max(share, to_add - added)


def _rounded(number: int, by: int) -> int:
    # Rounded half up, without a float.
    return (2 * number + by) // (2 * by) if by > 0 else 0


def divided(sizes: Sequence[tuple[int, int]], bounds: Bounds) -> list[int]:
    """The new sizes of ReplicaSets, each given as its size and the number that was allowed when it was last sized.

    They come in the order in which they are served; the remainder goes to the first.
    """
    to_add = (bounds.most if bounds.wanted else 0) - sum(size for size, _ in sizes)
    added, found = 0, []
    for size, former in sizes:
        share = proportion(size, former, bounds, to_add, added)
        found.append(size + share)
        added += share
    if found and to_add:
        found[0] = max(0, found[0] + to_add - added)
    return found
