"""Whether an image is used, pulled or waited for. Source: kubelet images/image_manager.go EnsureImageExists."""

from typing import Literal

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.policies.backoff import PULL_INITIAL_MS, PULL_MAX_MS, in_backoff_since_update, next_entry
from simulator.engine.world.rows import BackoffEntry


class PullVerdict(Struct, frozen=True, gc=False):
    """``use`` the local image, ``pull`` it, ``wait`` for the back-off, or ``fail``. ``reason`` is the waiting reason, if any."""

    action: Literal["use", "pull", "wait", "fail"]
    reason: str
    rule_id: str


PULL_FAILED = "ErrImagePull"
"""The reason of a container whose image pull has just failed."""
_USE = PullVerdict("use", "", "PULL-PRESENT")
_PULL = PullVerdict("pull", "", "PULL-NOW")
_NEVER = PullVerdict("fail", "ErrImageNeverPull", "PULL-NEVER")
_INSPECT = PullVerdict("fail", "ImageInspectError", "PULL-INSPECT-FAILED")
_WAIT = PullVerdict("wait", "ImagePullBackOff", "PULL-BACKOFF")


def ensure_image(
    policy: str,
    *,
    is_present: bool,
    entry: BackoffEntry | None,
    now_ms: Ms,
    inspect_fails: bool = False,
    max_ms: Ms = PULL_MAX_MS,
) -> PullVerdict:
    """Decide for one container start. ``entry``: the back-off of this image in this pod."""
    if inspect_fails:
        return _INSPECT
    if policy == "Never" or (policy == "IfNotPresent" and is_present):
        return _USE if is_present else _NEVER
    return _WAIT if in_backoff_since_update(entry, now_ms, max_ms=max_ms) else _PULL


def after_failed_pull(
    entry: BackoffEntry | None, now_ms: Ms, *, initial_ms: Ms = PULL_INITIAL_MS, max_ms: Ms = PULL_MAX_MS
) -> BackoffEntry:
    """The back-off after one more failed pull (the container shows ErrImagePull)."""
    return next_entry(entry, now_ms, now_ms, initial_ms=initial_ms, max_ms=max_ms)


_SOURCE = "pkg/kubelet/images/image_manager.go EnsureImageExists"
RULES = (
    RuleText(
        "PULL-PRESENT",
        gettext_noop("The image is already on the node and the pull policy allows using it."),
        _SOURCE,
    ),
    RuleText(
        "PULL-NOW", gettext_noop("The kubelet pulls the image {image}: it is not on the node, or its pull policy is Always."), _SOURCE
    ),
    RuleText(
        "PULL-NEVER",
        gettext_noop("The image is not on the node and imagePullPolicy Never forbids pulling it (ErrImageNeverPull)."),
        _SOURCE,
    ),
    RuleText(
        "PULL-INSPECT-FAILED",
        gettext_noop("The runtime could not tell whether the image is on the node."),
        _SOURCE,
    ),
    RuleText(
        "PULL-BACKOFF",
        gettext_noop("The last pull failed less than {window} ago, so the kubelet does not try again yet (ImagePullBackOff)."),
        _SOURCE,
    ),
    RuleText(
        "PULL-FAILED",
        gettext_noop("The pull failed (ErrImagePull); each failure doubles the wait before the next, up to five minutes."),
        _SOURCE,
    ),
)
