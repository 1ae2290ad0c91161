"""The tracks of the gallery: stories that belong together, in the order in which they teach best."""

from msgspec import Struct


class Track(Struct, frozen=True):
    """A track. ``title`` and ``summary`` are English; pages translate them."""

    slug: str
    title: str
    summary: str


TRACKS = (
    Track("basics", "Basics", "What phase, conditions and STATUS say, and what an exit code decides."),
    Track("start-up", "Start-up", "Images, commands and back-off: what stands between a pod and its first process."),
    Track("probes", "Probes", "Startup, liveness and readiness: what each may do, and what each costs when it is wrong."),
    Track("termination", "Termination", "TERM, grace, hooks and KILL: how a pod ends, and who is cut short."),
    Track("init-sidecars", "Init & sidecars", "Containers that come first, and containers that accompany the others."),
    Track("disruption", "Disruption", "Drains, budgets, evictions and nodes that fall silent."),
    Track("workloads", "Workloads", "What controllers do with pods: rollouts, sets, jobs and schedules."),
    Track("scheduling", "Scheduling", "Where a pod may run, and who must leave for it."),
    Track("resources", "Resources", "Memory and cpu: who is killed, who is evicted, who is scaled."),
)
"""In the order of the gallery."""


def track_of(slug: str) -> Track:
    """The track of that name. Raises KeyError."""
    return _BY_SLUG[slug]


_BY_SLUG = {track.slug: track for track in TRACKS}
