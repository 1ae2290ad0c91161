"""The tracks of the gallery: groups of stories, in the best order for learning. A story names its track by the slug."""

from msgspec import Struct


class Track(Struct, frozen=True):
    """A track. ``title`` and ``summary`` are English; pages translate them."""

    slug: str
    title: str
    summary: str


TRACKS = (
    Track("basics", "Basics", "What phase, conditions and STATUS mean, and what an exit code decides."),
    Track("start-up", "Start-up", "Images, commands and back-off: what stands between a pod and its first process."),
    Track("probes", "Probes", "Startup, liveness and readiness: what each one does, and what a wrong setting costs."),
    Track("termination", "Termination", "TERM, grace period, hooks and KILL: how a pod ends, and what gets cut short."),
    Track("init-sidecars", "Init & sidecars", "Containers that run first, and containers that run alongside."),
    Track("disruption", "Disruption", "Drains, budgets, evictions and nodes that go silent."),
    Track("workloads", "Workloads", "What controllers do with pods: rollouts, sets, jobs and schedules."),
    Track("scheduling", "Scheduling", "Where a pod can run, and which pods must make way for it."),
    Track("resources", "Resources", "Memory and CPU: what gets killed, evicted or scaled."),
)
"""In the order of the gallery."""


def track_of(slug: str) -> Track:
    """The track of that name. Raises KeyError."""
    return _BY_SLUG[slug]


_BY_SLUG = {track.slug: track for track in TRACKS}
