"""``kubectl autoscale``: a HorizontalPodAutoscaler for a workload.

Source: kubectl pkg/cmd/autoscale/autoscale.go.
"""

import re

from simulator.engine.acts.workloads.autoscale import AutoscaleWorkload, autoscaler_of
from simulator.engine.acts.workloads.scale import SCALABLE
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.kernel.bounded import is_digits, whole_number
from simulator.engine.model.quantity import quantity_problem
from simulator.kubectl.acting.action import KubectlAction, Step, Target, made, targets
from simulator.kubectl.acting.printing import prints
from simulator.kubectl.generators.base import metadata
from simulator.kubectl.line import BadLine, Line, unknown_flag
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.tables.model import Sight

_UNITS = {"cpu": "m", "memory": "Mi"}
_INT_MAX = 2**31 - 1
_DEPRECATED = (
    "Flag --cpu-percent has been deprecated, "
    "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU)."
)
_NUMBER = re.compile(r"\d+(\.\d+)?")


def autoscale(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl autoscale TYPE NAME --max=N``: the object that the version creates. Raises BadLine."""
    said = _checked(line, sight)
    cpu, memory = (_usage(line, name) for name in _UNITS)
    found, missing = targets(line, sight)
    steps, errors = [], list(missing)
    for item in found:
        if item.info.kind not in SCALABLE:
            errors.append(f"error: cannot autoscale a {item.info.kind}: {_without_scale(item)}")
            continue
        command = _command(item, line, cpu, memory)
        steps.append(Step(command=command, done=f"horizontalpodautoscaler.autoscaling/{command.called or command.name} autoscaled"))
    return made(steps, errors, said=said)


def dry_text(line: Line, sight: Sight) -> str:
    """What ``autoscale --dry-run=client`` prints: the objects it would send. Raises BadLine."""
    action = autoscale(line, sight)
    texts = [_dry(step.command, line, sight) for step in action.steps if isinstance(step.command, AutoscaleWorkload)]
    return "".join((*(f"{text}\n" for text in action.said), *texts, *(f"{text}\n" for text in action.errors)))


def _dry(command: AutoscaleWorkload, line: Line, sight: Sight) -> str:
    target = object_document(sight.world, command.kind, command.namespace, command.name)
    made_of = autoscaler_of(target, command, by_metrics=sight.facts.autoscale_by_metrics)
    name = str(made_of["metadata"]["name"])
    status = {"currentMetrics": None} if sight.facts.autoscale_by_metrics else {"currentReplicas": 0}
    head = {"kind": made_of["kind"], "apiVersion": made_of["apiVersion"], "metadata": metadata(sight, name=name)}
    document = {**head, "spec": made_of["spec"], "status": {**status, "desiredReplicas": 0}}
    full_name = f"horizontalpodautoscaler.autoscaling/{name}"
    if not prints(line):
        return f"{full_name} created (dry run)\n"
    return print_object(document, line.value("output") or "go-template", full_name=full_name, line=line, sight=sight)


def _checked(line: Line, sight: Sight) -> list[str]:
    """The warnings printed first. Raises BadLine for flags that exclude each other."""
    if not line.value("max"):
        raise BadLine('error: required flag(s) "max" not set')
    most, least = _int(line, "max"), _int(line, "min")
    for name in ("cpu", "memory"):
        if line.value(name) and not sight.facts.autoscale_of_any_use:
            raise unknown_flag(name, "autoscale")
    if most < 1:
        raise BadLine(f"error: --max=MAXPODS is required and must be at least 1, max: {most}")
    if most < least:
        raise BadLine(f"error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: {most}, min: {least}")
    if _int(line, "cpu-percent") > 0 and line.value("cpu"):
        raise BadLine("error: --cpu-percent and --cpu are mutually exclusive")
    return [_DEPRECATED] if line.value("cpu-percent") and sight.facts.autoscale_of_any_use else []


def _int(line: Line, name: str) -> int:
    text = line.value(name)
    if not text:
        return -1
    if not is_digits(text.removeprefix("-")):
        raise BadLine(f'error: invalid argument "{text}" for "--{name}" flag: strconv.ParseInt: parsing "{text}": invalid syntax')
    # Python refuses to parse thousands of digits; more than twenty are out of range anyway.
    number = int(text) if len(text) < 20 else _INT_MAX + 1
    if abs(number) > _INT_MAX:
        raise BadLine(f'error: invalid argument "{text}" for "--{name}" flag: strconv.ParseInt: parsing "{text}": value out of range')
    return number


def _usage(line: Line, name: str) -> str:
    """The target for a resource: a percentage of the requests, or an amount; a bare number means millicores or mebibytes."""
    text = line.value(name).strip()
    if text.endswith("%"):
        if whole_number(text[:-1], most=_INT_MAX) is None:
            raise BadLine(f"error: invalid percentage value: {text[:-1]}")
        return text
    amount = f"{text}{_UNITS[name]}" if _NUMBER.fullmatch(text) else text
    if amount and quantity_problem(amount):
        raise BadLine(f"error: invalid resource {name} value: {text}")
    return amount


def _command(item: Target, line: Line, cpu: str, memory: str) -> AutoscaleWorkload:
    least, percent = _int(line, "min"), _int(line, "cpu-percent")
    return AutoscaleWorkload(
        kind=item.info.kind,
        namespace=item.namespace,
        name=item.name,
        max_replicas=_int(line, "max"),
        min_replicas=least if least > 0 else None,
        cpu_percent=percent if percent >= 0 else None,
        cpu=cpu,
        memory=memory,
        called=line.value("name"),
    )


def _without_scale(item: Target) -> str:
    group, _, version = str(item.document["apiVersion"]).rpartition("/")
    return f"could not find scale subresource for {group}/{version}, Resource={item.info.plural} in discovery information"
