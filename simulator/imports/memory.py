"""What the kubelet must remember at the moment of the import: running back-offs, the state of probes, and its last attempt."""

import re

from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.duration import go_duration
from simulator.engine.past.document import PastBackoff, PastProbe, PastReason
from simulator.engine.versions import Profile, resolve
from simulator.imports.lives import Life, LivedContainer, entry_of, wait_before
from simulator.imports.occurrences import probe_of
from simulator.imports.read import Event, SeenPod

Places = tuple[tuple[LivedContainer, tuple[Life, ...]], ...]
_WINDOW = re.compile(r"back-off (?:(\d+)m)?(?:(\d+)s)? restarting")
_PULL = re.compile(r'Failed to pull image "[^"]*": (.*)', re.DOTALL)
_WITH_ERROR = re.compile(r'Back-off pulling image "[^"]*": ErrImagePull: (.*)', re.DOTALL)
_NO_REASON = ("ContainerCreating", "PodInitializing")
_PROBES = ("startup", "liveness", "readiness")


def backoffs_of(pod: SeenPod, places: Places, *, epoch_ms: Ms, kubernetes: str) -> tuple[PastBackoff, ...]:
    """The back-off of every container that was restarted, and of every image that cannot be pulled."""
    profile = resolve(kubernetes, {})
    found: list[PastBackoff] = []
    for place, lives in places:
        entry = entry_of(
            lives, initial_ms=profile.crash_backoff_initial_ms, max_ms=profile.crash_backoff_max_ms, reset_ms=profile.crash_backoff_reset_ms
        )
        window = _window_in_message(place) or (entry.backoff_ms if entry is not None else 0)
        if window and lives:
            found.append(PastBackoff(kind="crash", name=place.name, window_ms=window, updated_ms=lives[-1].start_ms - epoch_ms))
        waiting = place.state("state", "waiting")
        if waiting is not None and waiting.get("reason") in ("ErrImagePull", "ImagePullBackOff"):
            window, updated = _pull_backoff(place, profile)
            problem = pull_problem(place)
            image = str(place.spec.get("image") or "")
            found.append(
                PastBackoff(kind="image", name=image, window_ms=window, updated_ms=updated - epoch_ms if window else 0, problem=problem)
            )
    return tuple(found)


def _window_in_message(place: LivedContainer) -> Ms:
    """The window named in the message of CrashLoopBackOff."""
    waiting = place.state("state", "waiting") or {}
    match = _WINDOW.match(str(waiting.get("message") or ""))
    return (int(match[1] or 0) * 60 + int(match[2] or 0)) * SECOND if match else 0


def _pull_backoff(place: LivedContainer, profile: Profile) -> tuple[Ms, Ms]:
    pulls = place.of("Pulling")
    count = sum(event.count for event in pulls)
    if not count:
        return 0, 0
    failed = [event.last_ms for event in place.of("Failed") if _PULL.match(event.message)]
    updated = max(failed, default=max(event.last_ms for event in pulls) + profile.failed_pull_ms)
    return min(profile.image_backoff_initial_ms << min(count - 1, 10), profile.image_backoff_max_ms), updated


def pull_problem(place: LivedContainer) -> str:
    """The runtime's error about an image that cannot be pulled; empty if it is not known."""
    waiting = place.state("state", "waiting") or {}
    message = str(waiting.get("message") or "")
    if waiting.get("reason") == "ErrImagePull" and message:
        return message
    match = _WITH_ERROR.match(message)
    if match:
        return match[1]
    errors = [match[1] for event in place.of("Failed") if (match := _PULL.match(event.message))]
    return errors[-1] if errors else ""


def reasons_of(pod: SeenPod, places: Places, *, kubernetes: str) -> tuple[PastReason, ...]:
    """Why each container waits, as the kubelet knows it: an Event shows it before the status does."""
    profile = resolve(kubernetes, {})
    with_error = profile.image_backoff_message == "with_error"
    found: list[PastReason] = []
    for place, lives in places:
        if place.state("state", "running") is not None or place.group == "ephemeral":
            continue
        waiting = place.state("state", "waiting") or {}
        reason, message = str(waiting.get("reason") or ""), str(waiting.get("message") or "")
        source = f"{place.path}.state.waiting"
        event = max(place.of("BackOff", "Failed"), key=lambda event: (event.last_ms, event.reason == "BackOff"), default=None)
        if event is not None and event.reason == "BackOff":
            said = (reason, message)
            reason, message = _backed_off(pod, place, lives, event, reason, message, with_error=with_error)
            source = source if (reason, message) == said else event.path
        if reason and reason not in _NO_REASON:
            found.append(PastReason(container=place.name, reason=reason, message=message, source=source))
    return tuple(found)


def _backed_off(
    pod: SeenPod, place: LivedContainer, lives: tuple[Life, ...], event: Event, reason: str, message: str, *, with_error: bool
) -> tuple[str, str]:  # fmt: skip
    if "pulling" in event.message and reason != "ImagePullBackOff":
        error = f": ErrImagePull: {pull_problem(place)}" if with_error and "ErrImagePull" not in event.message else ""
        return "ImagePullBackOff", event.message + error
    ended = lives[-1].end_ms if lives else None
    if "restarting" in event.message and reason != "CrashLoopBackOff" and ended is not None and event.last_ms >= ended - SECOND:
        metadata = pod.metadata
        named = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
        window = go_duration(max(wait_before(lives[-1].n + 1), 10 * SECOND))
        return "CrashLoopBackOff", f"back-off {window} restarting failed container={place.name} pod={named}"
    return reason, message


def failures_of(place: LivedContainer, kind: str) -> list[Event]:
    """The Events about failed attempts of a probe."""
    return [event for event in place.of("Unhealthy") if probe_of(event)[0] == kind]


def probes_of(places: Places, *, epoch_ms: Ms, now_ms: Ms) -> tuple[PastProbe, ...]:
    """The state of each probe of a running container."""
    found: list[PastProbe] = []
    for place, lives in places:
        if not lives or lives[-1].end_ms is not None:
            continue
        for kind in _PROBES:
            probe = place.spec.get(f"{kind}Probe")
            if not isinstance(probe, dict):
                continue
            failed = failures_of(place, kind)
            last = max((event.last_ms for event in failed), default=None)
            result = _result(place, kind)
            needed = int(probe.get("failureThreshold") or 3)
            period = int(probe.get("periodSeconds") or 10) * SECOND
            failures = 0 if kind == "readiness" or (kind == "startup" and result) else _in_a_row(failed, lives[-1], period, now_ms)
            found.append(PastProbe(
                container=place.name, kind=kind, result=result, failures=min(failures, needed - 1),
                last_ms=None if last is None else last - epoch_ms,
            ))  # fmt: skip
    return tuple(found)


def _in_a_row(failed: list[Event], life: Life, period_ms: Ms, now_ms: Ms) -> int:
    """The consecutive failures in the newest instance up to now."""
    last = max((event.last_ms for event in failed), default=None)
    if last is None or last < life.start_ms or now_ms - last > period_ms * 3 // 2:
        return 0
    first = max(life.start_ms, min(event.first_ms for event in failed))
    # As many attempts as fit between the first and last date, but no more than the Events count.
    return min((last - first) // period_ms + 1, sum(event.count for event in failed))


def _result(place: LivedContainer, kind: str) -> str:
    if kind == "readiness":
        return "Success" if place.status.get("ready") is True else "Failure"
    if kind == "startup":
        return "Success" if place.status.get("started") is True else ""
    return "Success"


def retry_of(pod: SeenPod) -> Ms | None:
    """When the kubelet last failed to start a container: each such sync writes an Event."""
    return max((event.last_ms for event in pod.events if event.reason in ("BackOff", "Failed")), default=None)
