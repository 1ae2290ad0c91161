"""``kubectl autoscale``: a HorizontalPodAutoscaler for a workload.

Source: kubectl pkg/cmd/autoscale/autoscale.go.
"""

import json
import re
from collections.abc import Iterator

from simulator.engine.acts.act import Act
from simulator.engine.acts.form import NUMBER, Form, FormField
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.acts.workloads.named import OBJECT_FIELDS, line_of, read_names, refused, shown_workload, the_workload, workload
from simulator.engine.acts.workloads.scale import REPLICAS_MAX, SCALABLE
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.apply import applying
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.model.quantity import quantity_problem
from simulator.engine.projection.text import Text
from simulator.engine.workloads.objects import parsed
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

_PERCENT_MAX = 10_000
_PART = re.compile(r"[0-9]{1,9}%")
_USUAL_PERCENT, _USUAL_MAX = 80, 10


class AutoscaleWorkload(Command, frozen=True, kw_only=True, tag="autoscale"):
    """Let a HorizontalPodAutoscaler keep the number of pods between two bounds.

    ``cpu_percent`` is the target percentage of the requests. ``cpu`` and ``memory`` are metrics available on the command line only
    after 1.33: ``70%`` of the requests, or a quantity. ``called`` is the name of the autoscaler, empty: the workload's.
    """

    kind: str
    namespace: str
    name: str
    max_replicas: int
    min_replicas: int | None = None
    cpu_percent: int | None = None
    cpu: str = ""
    memory: str = ""
    called: str = ""


def _autoscale(fx: Effects, command: AutoscaleWorkload) -> Doing:
    row = workload(fx, command, SCALABLE)
    if command.max_replicas < 1:
        raise refused(f"--max=MAXPODS is required and must be at least 1, max: {command.max_replicas}")
    if command.min_replicas is not None and command.max_replicas < command.min_replicas:
        bounds = f"max: {command.max_replicas}, min: {command.min_replicas}"
        raise refused(f"--max=MAXPODS must be larger or equal to --min=MINPODS, {bounds}")
    wrong = next((text for _, text in _asked(command) if text and not _PART.fullmatch(text) and quantity_problem(text)), None)
    if wrong is not None:
        raise refused(f"{wrong!r} is no part of the requests such as 70%, and no quantity")
    document = autoscaler_of(parsed(row), command, by_metrics=fx.world.release.facts.autoscale_by_metrics)
    # kubectl creates, it does not apply: a second autoscaler of that name is refused.
    return applying(fx, (json.dumps(document),), command.namespace, create=True)


def autoscaler_of(target: Json, command: AutoscaleWorkload, *, by_metrics: bool) -> Json:
    """The object: autoscaling/v2 if the version uses metrics, else v1, which only has a CPU percentage."""
    reference = {"apiVersion": target["apiVersion"], "kind": command.kind, "name": command.name}
    spec: Json = {"scaleTargetRef": reference, "maxReplicas": command.max_replicas}
    # kubectl omits the field if --min is not given; the API's default is 1.
    if command.min_replicas:
        spec["minReplicas"] = command.min_replicas
    metrics = [_metric(name, text) for name, text in _asked(command) if text]
    if by_metrics and metrics:
        spec["metrics"] = metrics
    if not by_metrics and command.cpu_percent is not None:
        spec["targetCPUUtilizationPercentage"] = command.cpu_percent
    metadata = {"name": command.called or command.name, "namespace": command.namespace}
    version = "autoscaling/v2" if by_metrics else "autoscaling/v1"
    return {"apiVersion": version, "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}


def _asked(command: AutoscaleWorkload) -> tuple[tuple[str, str], ...]:
    cpu = f"{command.cpu_percent}%" if command.cpu_percent else command.cpu
    return (("cpu", cpu), ("memory", command.memory))


def _metric(name: str, text: str) -> Json:
    if text.endswith("%"):
        target: Json = {"type": "Utilization", "averageUtilization": int(text[:-1])}
    else:
        target = {"type": "AverageValue", "averageValue": text}
    return {"type": "Resource", "resource": {"name": name, "target": target}}


def _offer(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    document = shown_workload(world, kind, namespace, name) if kind in SCALABLE else None
    if document is None:
        return
    percent = "--cpu={cpu_percent}%" if world.release.facts.autoscale_of_any_use else "--cpu-percent={cpu_percent}"
    held = int((document.get("spec") or {}).get("replicas") or 1)
    yield Offer(
        key=f"autoscale-{kind}-{namespace}-{name}",
        place="object",
        given={"kind": kind, "namespace": namespace, "name": name},
        buttons=button(gettext_noop("Autoscale")),
        kubectl=line_of("autoscale", kind, namespace, name, f" --min={{min_replicas}} --max={{max_replicas}} {percent}"),
        help=Text(gettext_noop("An autoscaler adjusts the number of pods so that they use this share of the CPU they request.")),
        inputs=(
            Input("min_replicas", Text(gettext_noop("Minimum")), 1, minimum=1, maximum=REPLICAS_MAX),
            Input("max_replicas", Text(gettext_noop("Maximum")), max(_USUAL_MAX, held), minimum=1, maximum=REPLICAS_MAX),
            Input("cpu_percent", Text(gettext_noop("CPU %")), _USUAL_PERCENT, minimum=1, maximum=_PERCENT_MAX),
        ),
        why_not="COMMAND-EXISTS" if ("HorizontalPodAutoscaler", namespace, name) in world.tables.objects else "",
    )


def _read(step: StepReader) -> Iterator[AutoscaleWorkload]:
    for names in read_names(step, SCALABLE):
        yield AutoscaleWorkload(
            **names,
            max_replicas=step.needed("max", int),
            min_replicas=step.field("min", int, 0) or None,
            cpu_percent=step.field("cpu-percent", int, 0) or None,
        )


AUTOSCALE_WORKLOAD = Act(
    command=AutoscaleWorkload,
    handler=_autoscale,
    subject=the_workload,
    sentence=gettext_noop("Autoscale {kind} {name} up to {max_replicas} {max_replicas:pod|pods}"),
    headline=gettext_noop("You turned on autoscaling for {kind} {name}"),
    omitted_if_empty=("min_replicas", "cpu_percent", "cpu", "memory", "called"),
    icon="signal",
    form=Form(
        (
            *OBJECT_FIELDS,
            FormField("min_replicas", NUMBER, minimum=1, maximum=REPLICAS_MAX, is_needed=True),
            FormField("max_replicas", NUMBER, minimum=1, maximum=REPLICAS_MAX, is_needed=True),
            FormField("cpu_percent", NUMBER, minimum=1, maximum=_PERCENT_MAX, is_needed=True),
        )
    ),
    offers=Offers(object=_offer),
    verbs=(
        Verb(
            "autoscale",
            "creates a HorizontalPodAutoscaler, as `kubectl autoscale`",
            _read,
            needs=("name", "max"),
            may=("kind Deployment, ReplicaSet or StatefulSet", "min", "cpu-percent"),
        ),
    ),
)
