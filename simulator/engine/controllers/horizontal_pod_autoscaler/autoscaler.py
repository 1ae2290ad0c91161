"""The HorizontalPodAutoscaler controller: measures, recommends a size, scales the target.

One autoscaler has one round every 15 s (``hpa_sync_ms``), the first a period after its creation. It
reacts to nothing in between: no watch on pods or metrics wakes it, so every reaction to load is
late by up to a period, plus the age of the metrics (``network/metrics.py``).

A round reads the target's spec.replicas, never the number of pods, and then decides in this order:

* The target has 0 replicas and minReplicas is not 0: autoscaling is off until someone scales it up.
* The size is outside minReplicas and maxReplicas: it is corrected at once, without any metric.
* Otherwise each metric proposes a size (``calculation.py``) and the largest proposal counts. A
  metric that fails is ignored as long as the others want to scale up; it blocks scaling down, since
  the missing one might have asked for more.
* The proposal passes the stabilization windows and rate limits (``limits.py``), and the target's
  spec is written if the result differs.

What an autoscaler remembers between rounds, past recommendations and past changes of size, is not
in the API; upstream keeps it in the controller's memory, here it is an ``AutoscalerRow``.

Only the metric types Resource and ContainerResource are known; any other fails with a message that
says so.

Source: pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler.
"""

from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.controllers.horizontal_pod_autoscaler.calculation import MeasuredPod, MetricTarget, NoAnswer, Proposal, replicas_for
from simulator.engine.controllers.horizontal_pod_autoscaler.limits import limited
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.quantity import BadQuantity, canonical, milli, parse
from simulator.engine.network.metrics import pod_use
from simulator.engine.workloads.objects import condition_in, now_text, put_spec, put_status, selector_of, spec_of, status_of, stored_object
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import AutoscalerSync
from simulator.engine.world.lookups import pods_selected
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import AutoscalerRow, PodRow
from simulator.engine.world.watch import ADDED, GONE, Watch
from simulator.engine.world.world import ApiObject

COMPONENT = "horizontal-pod-autoscaler"
KIND = "HorizontalPodAutoscaler"
_SOURCE = "pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler"

RULES = (
    RuleText(
        "HPA-SCALED",
        gettext_noop(
            "The pods use {measured}; the target is {aim}: {ready} of them {ready:counts|count}, {unready} "
            "{unready:is|are} not ready yet, {missing} {missing:has|have} no metrics. So {wanted} "
            "{wanted:replica is|replicas are} recommended, and the target is scaled from {current} to {replicas}."
        ),
        _SOURCE,
    ),
    RuleText(
        "HPA-BOUNDS",
        gettext_noop("{current} {current:replica is|replicas are} outside what the autoscaler allows: the target is scaled to {replicas}."),
        _SOURCE,
    ),
    RuleText("HPA-NO-METRICS", gettext_noop("The autoscaler cannot say how many replicas are needed: {why}."), _SOURCE),
    RuleText("HPA-NO-TARGET", gettext_noop("The autoscaler cannot find its scale target: {why}."), _SOURCE),
)


def _written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """A new autoscaler gets its first round after one period."""
    fx.check(fx.now + fx.profile.hpa_sync_ms, Lane.CONTROLLER, AutoscalerSync(row.namespace, row.name))


def _gone(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    fx.save_autoscaler((row.namespace, row.name), None)


WATCHES = (Watch(COMPONENT, KIND, ADDED, _written), Watch(COMPONENT, KIND, GONE, _gone))


class _Metric(Struct, frozen=True):
    """A resource metric of the spec, of whole pods or of one container; any other type of metric has an empty ``resource``."""

    resource: str
    target: MetricTarget
    container: str
    spec: Json


class _Round(Struct):
    """What a round knows so far: the status it will write, and why it scales."""

    status: Json
    current: int
    replicas: int
    reason: str = ""
    answer: Proposal | None = None
    metric: _Metric | None = None
    wanted: int = 0


def autoscaler_sync(fx: Effects, event: AutoscalerSync) -> None:
    """Run one round of an autoscaler; the next comes a period later."""
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None:
        return
    fx.check(fx.now + fx.profile.hpa_sync_ms, Lane.CONTROLLER, event)
    spec, status = spec_of(row), dict(status_of(row))
    target, why = _target(fx, row)
    if target is None:
        message = f"the HPA controller was unable to get the target's current scale: {why}"
        _condition(fx, status, "AbleToScale", "False", "FailedGetScale", message)
        with fx.because(fx.note_step(row.subject, "no-target", rule="HPA-NO-TARGET", data=(("why", why),))):
            _emit_event(fx, row, "FailedGetScale", why, rule="HPA-NO-TARGET", severity="Warning")
        put_status(fx, row, status)
        return
    current = int(spec_of(target).get("replicas", 1))
    found = _Round(status, current, current)
    _condition(fx, status, "AbleToScale", "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")
    if _decide(fx, row, spec, target, found) and found.replicas != current:
        _scale(fx, row, target, found)
    status |= {"currentReplicas": current, "desiredReplicas": found.replicas}
    current_row = stored_object(fx, KIND, event.namespace, event.name)
    if current_row is not None:
        put_status(fx, current_row, status)


def _target(fx: Effects, row: ApiObject) -> tuple[ApiObject | None, str]:
    named = spec_of(row).get("scaleTargetRef") or {}
    kind, name = str(named.get("kind")), str(named.get("name"))
    found = stored_object(fx, kind, row.namespace, name)
    if found is None:
        group = {"Deployment": ".apps", "ReplicaSet": ".apps", "StatefulSet": ".apps"}.get(kind, "")
        return None, f'{kind.lower()}s{group} "{name}" not found'
    return found, ""


def _decide(fx: Effects, row: ApiObject, spec: Json, target: ApiObject, found: _Round) -> bool:
    """Determine the number of replicas. Whether that was possible."""
    low, high = int(spec.get("minReplicas", 1)), int(spec.get("maxReplicas", 1))
    if found.current == 0 and low:
        message = "scaling is disabled since the replica count of the target is zero"
        _condition(fx, found.status, "ScalingActive", "False", "ScalingDisabled", message)
        return False
    if found.current > high or found.current < low:
        side, bound = ("above", "Max") if found.current > high else ("below", "Min")
        found.replicas = high if found.current > high else low
        found.reason = f"Current number of replicas {side} Spec.{bound}Replicas"
        return True
    if not _measure(fx, row, spec, target, found):
        return False
    found.reason = f"{_name(found.metric)} above target" if found.wanted > found.current else "All metrics below target"
    key = (row.namespace, row.name)
    remembered = fx.tables.autoscalers.get(key, AutoscalerRow())
    outcome = limited(spec, remembered, found.current, found.wanted, now_ms=fx.now, profile=fx.profile)
    _remember(fx, key, remembered, (fx.now, found.wanted))
    _condition(fx, found.status, "AbleToScale", "True", *outcome.able)
    _condition(fx, found.status, "ScalingLimited", *outcome.limit)
    found.replicas = outcome.replicas
    return True


def _scale(fx: Effects, row: ApiObject, target: ApiObject, found: _Round) -> None:
    answer = found.answer
    data: tuple[tuple[str, Any], ...] = (("current", found.current), ("replicas", found.replicas))
    rule = "HPA-BOUNDS"
    if answer is not None and found.metric is not None:
        rule = "HPA-SCALED"
        measured = (("measured", _shown(answer, found.metric)), ("aim", _aim(found.metric)), ("wanted", found.wanted))
        data = (*data, *measured, ("ready", answer.ready), ("unready", answer.unready), ("missing", answer.missing))
    with fx.because(fx.note_step(row.subject, "scaled", rule=rule, data=data)):
        with fx.aside():
            put_spec(fx, target, {"replicas": found.replicas})
        _emit_event(fx, row, "SuccessfulRescale", f"New size: {found.replicas}; reason: {found.reason}", rule=rule)
    message = f"the HPA controller was able to update the target scale to {found.replicas}"
    _condition(fx, found.status, "AbleToScale", "True", "SucceededRescale", message)
    found.status["lastScaleTime"] = now_text(fx)
    key, change = (row.namespace, row.name), found.replicas - found.current
    remembered = fx.tables.autoscalers.get(key, AutoscalerRow())
    _remember(fx, key, remembered, up=(fx.now, change) if change > 0 else None, down=(fx.now, -change) if change < 0 else None)


def _remember(
    fx: Effects, key: tuple[str, str], before: AutoscalerRow, wanted: tuple[int, int] | None = None, *,
    up: tuple[int, int] | None = None, down: tuple[int, int] | None = None,
) -> None:  # fmt: skip
    def kept(items: tuple[tuple[int, int], ...], new: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
        return (*(item for item in items if item[0] > fx.now - fx.profile.hpa_memory_ms), *(() if new is None else (new,)))

    row = AutoscalerRow(kept(before.recommended, wanted), kept(before.ups, up), kept(before.downs, down))
    fx.save_autoscaler(key, row)


# ---- metrics -----------------------------------------------------------------------------------------------------
def _metrics(spec: Json) -> list[_Metric]:
    """The metrics of a spec, including one in autoscaling/v1 form."""
    if spec.get("metrics") is None:
        # autoscaling/v1 has no list of metrics; without a percentage either, 80 % of CPU is
        # upstream's default.
        share = spec.get("targetCPUUtilizationPercentage")
        target = {"type": "Utilization", "averageUtilization": 80 if share is None else share}
        return [_metric({"type": "Resource", "resource": {"name": "cpu", "target": target}})]
    return [_metric(item) for item in spec["metrics"]]


def _metric(item: Json) -> _Metric:
    field = {"Resource": "resource", "ContainerResource": "containerResource"}.get(str(item.get("type")), "")
    source = item.get(field) or {} if field else {}
    aim = source.get("target") or {}
    average = aim.get("averageValue")
    target = MetricTarget(aim.get("averageUtilization"), None if average is None else _thousandths(average))
    return _Metric(str(source.get("name") or ""), target, str(source.get("container") or ""), item)


def _thousandths(text: object) -> int | None:
    try:
        return milli(text)  # type: ignore[arg-type]
    except (BadQuantity, TypeError):
        return None


def _name(metric: _Metric | None) -> str:
    if metric is None:
        return ""
    name = f"{metric.resource} container resource" if metric.container else f"{metric.resource} resource"
    return f"{name} utilization (percentage of request)" if metric.target.utilization is not None else name


def _measure(fx: Effects, row: ApiObject, spec: Json, target: ApiObject, found: _Round) -> bool:
    """Take the largest proposal of all metrics. Whether there is one; a failed metric prevents scaling down."""
    metrics, problems = _metrics(spec), []
    shown: list[Json] = []
    for metric in metrics:
        try:
            answer = _answer(fx, target, metric, found.current)
        except NoAnswer as problem:
            problems.append((metric, str(problem)))
            continue
        shown.append(_current(answer, metric))
        if found.answer is None or answer.replicas > found.wanted:
            found.answer, found.metric, found.wanted = answer, metric, answer.replicas
    if shown:
        found.status["currentMetrics"] = shown
    # With a metric missing, scaling up is still safe; scaling down might remove what that metric
    # needs.
    if found.answer is None or (problems and found.wanted < found.current):
        _report_failed(fx, row, found, metrics, problems)
        return False
    message = f"the HPA was able to successfully calculate a replica count from {_name(found.metric)}"
    _condition(fx, found.status, "ScalingActive", "True", "ValidMetricFound", message)
    return True


def _report_failed(fx: Effects, row: ApiObject, found: _Round, metrics: list[_Metric], problems: list[tuple[_Metric, str]]) -> None:
    metric, why = problems[0]
    reason = "FailedGetContainerResourceMetric" if metric.container else "FailedGetResourceMetric"
    _condition(fx, found.status, "ScalingActive", "False", reason, f"the HPA was unable to compute the replica count: {why}")
    with fx.because(fx.note_step(row.subject, "no-metrics", rule="HPA-NO-METRICS", data=(("why", why),))):
        for _, each in problems:
            _emit_event(fx, row, reason, each, rule="HPA-NO-METRICS", severity="Warning")
        said = f"invalid metrics ({len(problems)} invalid out of {len(metrics)}), first error is: {_wrapped(fx, metric, why)}"
        _emit_event(fx, row, "FailedComputeMetricsReplicas", said, rule="HPA-NO-METRICS", severity="Warning")


def _wrapped(fx: Effects, metric: _Metric, why: str) -> str:
    """Why a metric has no value, as worded in the Event about all metrics."""
    if not fx.profile.hpa_wraps_errors or not metric.resource:
        return why
    named = f"{metric.container} container metric" if metric.container else f"{metric.resource} resource metric"
    return f"failed to get {named} value: {why}"


def _answer(fx: Effects, target: ApiObject, metric: _Metric, current: int) -> Proposal:
    if not metric.resource:
        raise NoAnswer(f"metrics of the type {metric.spec.get('type')} are not simulated")
    pods = list(pods_selected(fx.tables, target.namespace, selector_of(target)))
    # Before 1.26 the message says utilization for absolute amounts too.
    is_share = metric.target.utilization is not None or not fx.profile.hpa_wraps_errors
    what = f"failed to get {metric.resource} {'utilization' if is_share else 'usage'}"
    try:
        if metric.target.utilization is not None:
            _check_requests(pods, metric)
        rows = [_measured(fx, pod, metric) for pod in pods]
        return replicas_for(rows, current, metric.target, resource=metric.resource, now_ms=fx.now, profile=fx.profile)
    except NoAnswer as problem:
        raise NoAnswer(f"{what}: {problem}") from None


def _check_requests(pods: list[PodRow], metric: _Metric) -> None:
    for pod in pods:
        for container in pod.pod.spec.containers:
            asked = container.resources.requests if container.resources is not None else {}
            if metric.container in ("", container.name) and metric.resource not in asked:
                raise NoAnswer(f"missing request for {metric.resource} in container {container.name} of Pod {pod.name}")


def _measured(fx: Effects, pod: PodRow, metric: _Metric) -> MeasuredPod:
    use = pod_use(fx.world, pod, fx.now)
    ready = pod.status.condition("Ready")
    return MeasuredPod(
        name=pod.name, use=None if use is None else use.amount(metric.resource, metric.container), request=_request(pod, metric),
        phase=pod.status.phase, is_deleting=pod.deletion_ms is not None, is_ready=ready is not None and ready.status != "False",
        ready_since_ms=ready.transition_ms if ready is not None else None, start_ms=pod.status.start_ms,
        at_ms=use.at_ms if use is not None else 0,
    )  # fmt: skip


def _request(pod: PodRow, metric: _Metric) -> int:
    chosen = [item for item in pod.pod.spec.containers if metric.container in ("", item.name) and item.resources is not None]
    return sum(_thousandths(item.resources.requests.get(metric.resource, "0")) or 0 for item in chosen)


def _current(answer: Proposal, metric: _Metric) -> Json:
    value: Json = {"averageValue": _amount(answer.average, metric.resource)}
    if answer.utilization is not None:
        value["averageUtilization"] = answer.utilization
    kind = str(metric.spec.get("type"))
    field = f"{kind[0].lower()}{kind[1:]}"
    named = {"container": metric.container} if metric.container else {}
    return {"type": kind, field: {"name": metric.resource, **named, "current": value}}


def _amount(thousandths: int, resource: str) -> str:
    return canonical(parse(f"{thousandths}m" if resource == "cpu" else str(thousandths // 1000)))


def _shown(answer: Proposal, metric: _Metric) -> str:
    return f"{answer.utilization}%" if answer.utilization is not None else _amount(answer.average, metric.resource)


def _aim(metric: _Metric) -> str:
    aim = metric.target
    return f"{aim.utilization}%" if aim.utilization is not None else _amount(aim.average or 0, metric.resource)


# ---- status ------------------------------------------------------------------------------------------------------
def _condition(fx: Effects, status: Json, kind: str, value: str, reason: str, message: str) -> None:
    """Set a condition in the status that a round prepares; its time changes only with its status."""
    old = condition_in(status, kind)
    since = old["lastTransitionTime"] if old is not None and old.get("status") == value else now_text(fx)
    new = {"type": kind, "status": value, "lastTransitionTime": since, "reason": reason, "message": message}
    held_ones = list(status.get("conditions") or ())
    if old is None:
        status["conditions"] = [*held_ones, new]
    else:
        status["conditions"] = [new if item["type"] == kind else item for item in held_ones]


def _emit_event(fx: Effects, row: ApiObject, reason: str, message: str, *, rule: str, severity: str = "Normal") -> None:
    emit_of_controller(fx, row, COMPONENT, severity=severity, reason=reason, message=message, rule=rule)
