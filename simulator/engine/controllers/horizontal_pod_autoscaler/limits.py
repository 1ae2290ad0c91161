"""How far a recommendation is followed: windows, policies, and the bounds of the spec. Pure.

A recommendation passes three gates. Stabilization replaces it by an earlier one: when scaling down
by the highest in the window (300 s by default), when scaling up by the lowest (0 s by default, so
not at all). A short dip or peak therefore does not change the size. Policies then limit how much the
size may change within their periods, counted from what it was at the period's beginning (the
current size minus the changes since). Last, minReplicas and maxReplicas cut off the rest.

A spec without ``behavior`` takes an older path of upstream with fixed rules: the down window only,
and at most doubling, or up to four, in one round. With ``behavior`` each side that is left out gets
the defaults below.

Which gate changed the result is reported in the conditions AbleToScale and ScalingLimited.

Source: pkg/controller/podautoscaler/horizontal.go normalizeDesiredReplicas,
normalizeDesiredReplicasWithBehaviors.
"""

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.versions import Profile
from simulator.engine.world.rows import AutoscalerRow

_POLICIES = [{"type": "Percent", "value": 100, "periodSeconds": 15}]
_UP = {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, *_POLICIES]}
_DOWN = {"selectPolicy": "Max", "policies": _POLICIES}
"""The defaults if a spec has ``behavior`` and leaves one side out (pkg/apis/autoscaling/v2/defaults.go)."""


class Limited(Struct, frozen=True, kw_only=True):
    """The replicas that result from a recommendation. ``able`` and ``limit``: reason and message of AbleToScale, and of ScalingLimited with
    its status."""

    replicas: int
    able: tuple[str, str]
    limit: tuple[str, str, str]


_READY = ("ReadyForNewScale", "recommended size matches current size")
_WITHIN = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
_FEW = ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
_MANY = ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
_FAST_UP = ("True", "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
_FAST_DOWN = ("True", "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")


def limited(spec: Json, held: AutoscalerRow, current: int, wanted: int, *, now_ms: Ms, profile: Profile) -> Limited:
    """The result of a recommendation that is already among those of ``held``."""
    behavior = spec.get("behavior")
    low, high = int(spec.get("minReplicas", 1)), int(spec.get("maxReplicas", 1))
    if behavior is None:
        window = profile.hpa_stabilization_ms
        stable = max([wanted, *(count for at, count in held.recommended if at > now_ms - window)])
        able = _stabilized(stable, wanted, "ScaleDownStabilized", "higher", "highest")
        replicas, limit = _within_rate(current, stable, low, high)
        return Limited(replicas=replicas, able=able, limit=limit)
    up, down = {**_UP, **(behavior.get("scaleUp") or {})}, {**_DOWN, **(behavior.get("scaleDown") or {})}
    stable, able = _by_windows(up, down, held, current, wanted, now_ms=now_ms, profile=profile)
    if stable > current:
        most = _limit_up(up, held, current, now_ms)
        replicas, limit = min(stable, max(current, most), high), _WITHIN
        limit = _MANY if replicas == high < stable else _FAST_UP if replicas < stable else _WITHIN
    elif stable < current:
        least = _limit_down(down, held, current, now_ms)
        replicas = max(stable, min(current, least), low)
        limit = _FEW if replicas == low > stable else _FAST_DOWN if replicas > stable else _WITHIN
    else:
        replicas, limit = stable, _WITHIN
    return Limited(replicas=replicas, able=able, limit=limit)


def _stabilized(stable: int, wanted: int, reason: str, than: str, which: str) -> tuple[str, str]:
    if stable == wanted:
        return _READY
    return reason, f"recent recommendations were {than} than current one, applying the {which} recent recommendation"


def _within_rate(current: int, wanted: int, low: int, high: int) -> tuple[int, tuple[str, str, str]]:
    """Without ``behavior``: at most doubled, or four, at once."""
    fastest = max(2 * current, 4)
    if wanted < low:
        return low, _FEW
    if wanted > min(high, fastest):
        return (fastest, _FAST_UP) if high > fastest else (high, _MANY)
    return wanted, _WITHIN


def _by_windows(
    up: Json, down: Json, held: AutoscalerRow, current: int, wanted: int, *, now_ms: Ms, profile: Profile
) -> tuple[int, tuple[str, str]]:  # fmt: skip
    up_ms = seconds(int(up.get("stabilizationWindowSeconds") or 0))
    window = down.get("stabilizationWindowSeconds")
    down_ms = profile.hpa_stabilization_ms if window is None else seconds(int(window))
    lowest = min([wanted, *(count for at, count in held.recommended if at > now_ms - up_ms)])
    highest = max([wanted, *(count for at, count in held.recommended if at > now_ms - down_ms)])
    stable = min(max(current, lowest), highest)
    if wanted >= current:
        return stable, _stabilized(stable, wanted, "ScaleUpStabilized", "lower", "lowest")
    return stable, _stabilized(stable, wanted, "ScaleDownStabilized", "higher", "highest")


def _limit_up(rules: Json, held: AutoscalerRow, current: int, now_ms: Ms) -> int:
    if rules.get("selectPolicy") == "Disabled":
        return current
    found = []
    for policy in rules.get("policies") or ():
        begin = current - _changed(held.ups, policy, now_ms) + _changed(held.downs, policy, now_ms)
        value = int(policy.get("value") or 0)
        found.append(begin + value if policy.get("type") == "Pods" else -(-begin * (100 + value) // 100))
    # Max lets the policy with the larger change win, which is upwards the larger size …
    return (min if rules.get("selectPolicy") == "Min" else max)(found, default=current)


def _limit_down(rules: Json, held: AutoscalerRow, current: int, now_ms: Ms) -> int:
    if rules.get("selectPolicy") == "Disabled":
        return current
    found = []
    for policy in rules.get("policies") or ():
        begin = current - _changed(held.ups, policy, now_ms) + _changed(held.downs, policy, now_ms)
        value = int(policy.get("value") or 0)
        found.append(begin - value if policy.get("type") == "Pods" else begin * (100 - value) // 100)
    # … and downwards the smaller one.
    return (max if rules.get("selectPolicy") == "Min" else min)(found, default=current)


def _changed(changes: tuple[tuple[Ms, int], ...], policy: Json, now_ms: Ms) -> int:
    """By how many replicas it was scaled within a policy's period."""
    return sum(count for at, count in changes if at > now_ms - seconds(int(policy.get("periodSeconds") or 0)))
