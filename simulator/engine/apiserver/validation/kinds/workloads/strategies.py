"""Rules for update strategies: Deployment, DaemonSet, StatefulSet (pkg/apis/apps/validation)."""

import json
from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds.common import at_most_all, inner, int_or_percent, not_negative, scaled_amount
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.kinds.shown import Shown, int_or_text
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, text

_ROLLING = "RollingUpdate"
_NONE_YET = "cannot be 0"


def _struct(value: Fields, go_type: str, rolling_type: str) -> Shown:
    """A strategy as messages show it; rollingUpdate is a pointer, of which older versions only print the address."""
    kind, rolling = text(value, "type"), value.get("rollingUpdate")
    go = f"{go_type}{{Type:{json.dumps(kind)}, RollingUpdate:(*{rolling_type})(nil)}}"
    return Shown(go, {"Type": kind, "RollingUpdate": rolling})


@kind_rule("DEPLOYMENT-STRATEGY", "Deployment")
def deployment_strategy(place: Place) -> Iterator[FieldError]:
    """The type is Recreate, which has no parameters, or RollingUpdate."""
    strategy = inner(place, "spec", "strategy")
    kind = text(strategy.value, "type") or _ROLLING
    if kind == "Recreate" and isinstance(strategy.value.get("rollingUpdate"), dict):
        yield forbidden(f"{strategy.path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    elif kind not in ("Recreate", _ROLLING):
        value = _struct(strategy.value, "apps.DeploymentStrategy", "apps.RollingUpdateDeployment")
        yield not_supported(strategy.path, value, ("Recreate", _ROLLING))


@kind_rule("DEPLOYMENT-ROLLING-UPDATE", "Deployment")
def deployment_rolling_update(place: Place) -> Iterator[FieldError]:
    """maxUnavailable and maxSurge are numbers or percentages and not both zero."""
    rolling = _rolling(place, "strategy")
    if rolling is None:
        return
    # The defaults count: a manifest with one of the two must not fail for the other.
    unavailable, surge = rolling.value.get("maxUnavailable", "25%"), rolling.value.get("maxSurge", "25%")
    yield from int_or_percent(f"{rolling.path}.maxUnavailable", unavailable)
    yield from int_or_percent(f"{rolling.path}.maxSurge", surge)
    if scaled_amount(unavailable) == 0 and scaled_amount(surge) == 0:
        detail = "may not be 0 when `maxSurge` is 0"
        yield invalid(f"{rolling.path}.maxUnavailable", int_or_text(unavailable), detail)
    yield from at_most_all(f"{rolling.path}.maxUnavailable", unavailable)


def _rolling(place: Place, key: str) -> Place | None:
    """The parameters of a rolling update, if they are set."""
    strategy = inner(place, "spec", key)
    is_rolling = (text(strategy.value, "type") or _ROLLING) == _ROLLING
    return inner(strategy, "rollingUpdate") if is_rolling and isinstance(strategy.value.get("rollingUpdate"), dict) else None


@kind_rule("DAEMON-SET-STRATEGY", "DaemonSet")
def daemon_set_strategy(place: Place) -> Iterator[FieldError]:
    """The update strategy of a DaemonSet is RollingUpdate or OnDelete."""
    strategy = inner(place, "spec", "updateStrategy")
    if (text(strategy.value, "type") or _ROLLING) not in (_ROLLING, "OnDelete"):
        value = _struct(strategy.value, "apps.DaemonSetUpdateStrategy", "apps.RollingUpdateDaemonSet")
        yield not_supported(strategy.path, value, (_ROLLING, "OnDelete"))


@kind_rule("DAEMON-SET-ROLLING-UPDATE", "DaemonSet", since=22)
def daemon_set_rolling_update(place: Place) -> Iterator[FieldError]:
    """During an update either some pods are missing or there are some too many, never both and never neither."""
    rolling = _rolling(place, "updateStrategy")
    if rolling is None:
        return
    surge = rolling.value.get("maxSurge", 0)
    unavailable = rolling.value.get("maxUnavailable", 1)
    for key, value in (("maxUnavailable", unavailable), ("maxSurge", surge)):
        yield from int_or_percent(f"{rolling.path}.{key}", value)
    for key, value in (("maxUnavailable", unavailable), ("maxSurge", surge)):
        yield from at_most_all(f"{rolling.path}.{key}", value)
    if scaled_amount(unavailable) and scaled_amount(surge):
        detail = "may not be set when maxUnavailable is non-zero"
        yield invalid(f"{rolling.path}.maxSurge", int_or_text(surge), detail)
    # Neither: the update could never make progress.
    elif not scaled_amount(unavailable) and not scaled_amount(surge):
        yield required(f"{rolling.path}.maxUnavailable", "cannot be 0 when maxSurge is 0")


@kind_rule("DAEMON-SET-ROLLING-UPDATE-1.21", "DaemonSet", until=21)
def daemon_set_rolling_update_before(place: Place) -> Iterator[FieldError]:
    """Before there was a surge, maxUnavailable had to be more than zero."""
    rolling = _rolling(place, "updateStrategy")
    if rolling is not None:
        yield from _unavailable(rolling)


def _unavailable(rolling: Place) -> Iterator[FieldError]:
    field, value = f"{rolling.path}.maxUnavailable", rolling.value.get("maxUnavailable", 1)
    yield from int_or_percent(field, value)
    # Without a surge, zero would stop the update.
    if scaled_amount(value) == 0:
        yield invalid(field, int_or_text(value), _NONE_YET)
    yield from at_most_all(field, value)


@kind_rule("STATEFUL-SET-STRATEGY", "StatefulSet")
def stateful_set_strategy(place: Place) -> Iterator[FieldError]:
    """The type is OnDelete, which has no parameters, or RollingUpdate."""
    strategy = inner(place, "spec", "updateStrategy")
    kind = text(strategy.value, "type") or _ROLLING
    rolling = strategy.value.get("rollingUpdate")
    if kind == "OnDelete" and isinstance(rolling, dict):
        yield invalid(f"{strategy.path}.rollingUpdate", rolling, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind not in ("OnDelete", _ROLLING):
        value = _struct(strategy.value, "apps.StatefulSetUpdateStrategy", "apps.RollingUpdateStatefulSetStrategy")
        yield invalid(strategy.path, value, "must be 'RollingUpdate' or 'OnDelete'")


@kind_rule("STATEFUL-SET-PARTITION", "StatefulSet")
def stateful_set_partition(place: Place) -> Iterator[FieldError]:
    """The partition is not negative."""
    rolling = _rolling(place, "updateStrategy")
    if rolling is not None:
        yield from not_negative(rolling, "partition")


@kind_rule("STATEFUL-SET-MAX-UNAVAILABLE", "StatefulSet", since=35)
def stateful_set_max_unavailable(place: Place) -> Iterator[FieldError]:
    """A StatefulSet updates at least one and at most all pods at once."""
    rolling = _rolling(place, "updateStrategy")
    if rolling is not None and rolling.value.get("maxUnavailable") is not None:
        yield from _unavailable(rolling)
