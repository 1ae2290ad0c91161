"""Generated practice: a healthy application gets one to three faults, and the learner finds and fixes them.

Everything follows from a seed, so everybody who enters the same seed gets the same task, and each day has one. The numbers come from a
digest rather than a random generator, so they are the same in every release of Python. A generated task is tested first; if it does not
behave as promised, the next number of the seed is tried instead. So every task is known to fail with its faults, to fail with each of them
alone, and to pass once all are fixed.
"""

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.versions.usual import OFFERED
from simulator.levels.level import Level, LevelAct, Solution
from simulator.levels.playing import play_level
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.patterns import RecordPattern

NAMES = ("shop", "cart", "search", "orders", "stock", "prices", "mail", "reviews")
NODES = ("node-1", "node-2", "node-3")
FAULTS_MAX = 3
SEED_MAX = 10**9
HORIZON_S = 300
WRONG_IMAGE = "nginx:1.72"
IMAGES = (
    *("nginx:1.27", "nginx:1.25", "nginx:1.26", "nginx:1.28", "nginx:1.29"),
    *("nginx:latest", "nginx:stable", "nginx:alpine", "busybox:1.36"),
)
"""The images in the registry; a learner may fix the image with any of them."""
_TRIES = 20

Object = dict[str, Any]


class App(Struct, kw_only=True):
    """An application: its objects, the nodes' taints, and whether the nodes are cordoned. With a budget, node-1 is drained."""

    name: str
    deployment: Object
    service: Object
    config: Object | None
    quota: Object | None = None
    budget: Object | None = None
    taint: str = ""
    is_cordoned: bool = False

    def objects(self) -> list[Object]:
        """Its objects in order of creation."""
        return [item for item in (self.quota, self.config, self.service, self.deployment, self.budget) if item is not None]

    @property
    def container(self) -> Object:
        """The container of its pods."""
        found: Object = self.deployment["spec"]["template"]["spec"]["containers"][0]
        return found


class Fault(Struct, frozen=True, kw_only=True):
    """A fault. ``evidence`` are the records that show it, ``told`` describes it, ``advice`` says how to fix it."""

    id: str
    told: str
    advice: str
    put: Callable[[App], None]
    evidence: tuple[RecordPattern, ...]


def _status(*reasons: str) -> tuple[RecordPattern, ...]:
    return (
        RecordPattern(machine="container_status", data={"reason": reasons}),
        RecordPattern(machine="status_word", target=reasons),
        RecordPattern(machine="k8s_event", target=("Failed", "BackOff", "InspectFailed", "FailedPostStartHook")),
    )


_UNSCHEDULABLE = (
    RecordPattern(machine="scheduling", target="unschedulable"),
    RecordPattern(machine="k8s_event", target="FailedScheduling"),
    RecordPattern(machine="condition", subject="condition/*/PodScheduled", target="False"),
)


def _probe(kind: str) -> tuple[RecordPattern, ...]:
    return (
        RecordPattern(machine="probe_attempt", subject=f"probe/*/{kind}", target=("failure", "error", "timeout")),
        RecordPattern(machine="probe", subject=f"probe/*/{kind}", target="failure"),
        RecordPattern(machine="k8s_event", target="Unhealthy"),
    )


def _set_image(app: App) -> None:
    app.container["image"] = WRONG_IMAGE


def _set_command(app: App) -> None:
    app.container["command"] = ["ngnix", "-g", "daemon off;"]


def _set_readiness(app: App) -> None:
    app.container["readinessProbe"]["httpGet"]["port"] = 8081


def _set_liveness(app: App) -> None:
    app.container["livenessProbe"]["httpGet"]["port"] = 8081


def _set_requests(app: App) -> None:
    app.container["resources"]["requests"]["cpu"] = "40"


def _set_selector(app: App) -> None:
    app.service["spec"]["selector"] = {"app": f"{app.name}-v2"}


def _set_taint(app: App) -> None:
    app.taint = "dedicated=batch:NoSchedule"


def _set_cordon(app: App) -> None:
    app.is_cordoned = True


def _set_config(app: App) -> None:
    app.config = None


def _set_quota(app: App) -> None:
    app.quota = _quota("1")


def _set_volume(app: App) -> None:
    spec = app.deployment["spec"]["template"]["spec"]
    spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"{app.name}-data"}}]
    app.container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]


def _set_hook(app: App) -> None:
    app.container["lifecycle"] = {"postStart": {"exec": {"command": ["sh", "-c", "exit 1"]}}}


def _set_budget(app: App) -> None:
    app.budget = _budget(app.name, 0)


FAULTS = (
    Fault(
        id="image",
        told=gettext_noop("The image has a tag that does not exist."),
        advice=gettext_noop("Set an image that exists."),
        put=_set_image,
        evidence=_status("ErrImagePull", "ImagePullBackOff"),
    ),
    Fault(
        id="command",
        told=gettext_noop("The command names a program that is not in the image."),
        advice=gettext_noop("Correct the command, or leave it out."),
        put=_set_command,
        evidence=_status("RunContainerError", "StartError", "CrashLoopBackOff"),
    ),
    Fault(
        id="readiness",
        told=gettext_noop("The readiness probe uses a port on which nothing listens."),
        advice=gettext_noop("Point the readiness probe at the port of the program."),
        put=_set_readiness,
        evidence=_probe("readiness"),
    ),
    Fault(
        id="liveness",
        told=gettext_noop("The liveness probe uses a port on which nothing listens, so the kubelet keeps restarting the container."),
        advice=gettext_noop("Point the liveness probe at the port of the program."),
        put=_set_liveness,
        evidence=_probe("liveness"),
    ),
    Fault(
        id="requests",
        told=gettext_noop("Each pod requests more CPU than any node has."),
        advice=gettext_noop("Lower the request."),
        put=_set_requests,
        evidence=_UNSCHEDULABLE,
    ),
    Fault(
        id="selector",
        told=gettext_noop("The selector of the Service matches no pod."),
        advice=gettext_noop("Make the selector match the labels of the pods."),
        put=_set_selector,
        evidence=(RecordPattern(machine="requests", target=("refused", "error", "timeout", "reset")),),
    ),
    Fault(
        id="taint",
        told=gettext_noop("Every node has a taint that the pods do not tolerate."),
        advice=gettext_noop("Remove the taint, or tolerate it."),
        put=_set_taint,
        evidence=_UNSCHEDULABLE,
    ),
    Fault(
        id="node",
        told=gettext_noop("Every node is cordoned."),
        advice=gettext_noop("Uncordon a node."),
        put=_set_cordon,
        evidence=_UNSCHEDULABLE,
    ),
    Fault(
        id="config",
        told=gettext_noop("The containers refer to a ConfigMap that does not exist."),
        advice=gettext_noop("Create the ConfigMap."),
        put=_set_config,
        evidence=_status("CreateContainerConfigError"),
    ),
    Fault(
        id="quota",
        told=gettext_noop("The ResourceQuota of the namespace allows one pod."),
        advice=gettext_noop("Raise the quota, or delete it."),
        put=_set_quota,
        evidence=(RecordPattern(machine="k8s_event", target="FailedCreate"),),
    ),
    Fault(
        id="volume",
        told=gettext_noop("The pods mount a PersistentVolumeClaim that does not exist."),
        advice=gettext_noop("Create the claim, or remove the volume."),
        put=_set_volume,
        evidence=_UNSCHEDULABLE,
    ),
    Fault(
        id="hook",
        told=gettext_noop("The postStart hook fails, so the kubelet kills the container each time."),
        advice=gettext_noop("Fix the hook, or remove it."),
        put=_set_hook,
        evidence=(RecordPattern(machine="hook", target="failed"), *_status("PostStartHookError", "CrashLoopBackOff")),
    ),
    Fault(
        id="budget",
        told=gettext_noop("The PodDisruptionBudget allows no disruption at all, so the drain asks again and again."),
        advice=gettext_noop("Let the budget allow a disruption."),
        put=_set_budget,
        evidence=(
            RecordPattern(machine="drain", target="retry"),
            RecordPattern(machine="budget", target="blocks"),
        ),
    ),
)
"""The catalogue of faults. Those that block a pod at the same stage exclude each other in one task (``_PLACES``)."""
_PLACES = {"requests": "node", "taint": "node", "node": "node", "volume": "node", "command": "start", "hook": "start"}


class Draw:
    """A deterministic sequence of numbers derived from a seed."""

    def __init__(self, *seed: object) -> None:
        self._parts = seed
        self._seed = repr(seed)
        self._turn = 0

    def other(self, *more: object) -> "Draw":
        """Another sequence, derived from the same seed and more; this one is not affected."""
        return Draw(*self._parts, *more)

    def below(self, most: int) -> int:
        """A number from 0 to ``most`` - 1."""
        self._turn += 1
        return int.from_bytes(blake2b(f"{self._seed}/{self._turn}".encode(), digest_size=8).digest(), "big") % most


class Practice(Struct, frozen=True, kw_only=True):
    """A generated task: the level, and the faults it contains."""

    level: Level
    faults: tuple[Fault, ...]


@lru_cache(maxsize=64)
def practice_of(seed: int, count: int) -> Practice:
    """The task for a seed with ``count`` faults (1 to 3). Costs several plays, 30 to 300 ms, the first time.

    Raises Elsewhere in a process that leaves playing to others, ValueError if there is no such task.
    """
    if not 0 <= seed <= SEED_MAX or not 1 <= count <= FAULTS_MAX:
        raise ValueError("no such task")
    for number in range(_TRIES):
        draw = Draw("practice", seed, count, number)
        faults = _drawn(draw, count)
        level = _level(draw, faults, seed)
        if _is_sound(level):
            return Practice(level=level, faults=faults)
    raise ValueError("no such task")


def practice_of_day(day: date) -> Practice:
    """The task for a day, the same on every site: one fault early in the week, two in the middle, three at the end."""
    return practice_of(day.toordinal(), (1, 1, 2, 2, 2, 3, 3)[day.weekday()])


def practice_of_key(key: str) -> Practice | None:
    """The task for a run's key: ``!2-17`` is seed 17 with two faults, ``!d2026-11-28`` the task of a day. None for any other text.

    Costs and raises as ``practice_of``.
    """
    found = _KEY.fullmatch(key)
    if found is None:
        return None
    try:
        return practice_of_day(date.fromisoformat(found["day"])) if found["day"] else practice_of(int(found["seed"]), int(found["count"]))
    except ValueError:
        return None


_KEY = re.compile(r"!(?:(?P<count>[1-3])-(?P<seed>\d{1,9})|d(?P<day>\d{4}-\d\d-\d\d))", re.ASCII)


_BUDGET_ONE_IN = 6


def _drawn(draw: Draw, count: int) -> tuple[Fault, ...]:
    """Draw the faults. Some tasks get the budget with its drain; all others are as they were before the budget existed."""
    left, found = [fault for fault in FAULTS if fault.id != "budget"], list[Fault]()
    if draw.other("budget").below(_BUDGET_ONE_IN) == 0:
        found += (fault for fault in FAULTS if fault.id == "budget")
    while len(found) < count:
        fault = left.pop(draw.below(len(left)))
        found.append(fault)
        place = _PLACES.get(fault.id)
        left = [each for each in left if place is None or _PLACES.get(each.id) != place]
    return tuple(found)


def _level(draw: Draw, faults: Sequence[Fault], seed: int) -> Level:
    app = _healthy(NAMES[draw.below(len(NAMES))], replicas=2 + draw.below(2))
    if is_drained := any(fault.id == "budget" for fault in faults):
        app.budget = _budget(app.name, 1)
    broken = deepcopy(app)
    for fault in faults:
        fault.put(broken)
    wholes = [Solution(name="all mended", expect="pass", acts=tuple(_mending(broken, app)))]
    parts = [_without(app, faults, n) for n in range(len(faults))] if len(faults) > 1 else []
    return Level(
        title=TITLE_ONE if len(faults) == 1 else TITLE_MORE,
        slug=SLUG,
        horizon=f"{HORIZON_S}s",
        kubernetes=OFFERED,
        seeds=(seed % 1000 + 1, seed % 1000 + 1001),
        manifests="\n---\n".join(json.dumps(item, indent=1) for item in broken.objects()),
        cluster=json.dumps({"nodes": [_node(name, broken) for name in NODES], "images": {"pullable": dict.fromkeys(IMAGES, "1s")}}),
        script=_script(broken),
        minutes=3 + 2 * len(faults),
        brief=(_BRIEF_ONE if len(faults) == 1 else _BRIEF_MORE, *([_BRIEF_DRAIN] if is_drained else [])),
        checks=(*_checks(app), *([_DRAINED] if is_drained else [])),
        solutions=(*wholes, *parts),
        debrief=tuple(text for fault in faults for text in (fault.told, fault.advice)),
    )


SLUG = "practice"
"""The slug of generated levels; levels with a slug have their texts translated."""
TITLE_ONE = gettext_noop("Find the fault")
TITLE_MORE = gettext_noop("Find the faults")
_BRIEF_ONE = gettext_noop(
    "Yesterday this application worked. Now one thing is wrong with it. Find it and fix it, so that every request is answered."
)
_BRIEF_MORE = gettext_noop(
    "Yesterday this application worked. Now several things are wrong with it. Find and fix them all, so that every request is answered."
)
_BRIEF_DRAIN = gettext_noop("At 0:40 `node-1` is drained for a repair, and the drain has to finish, too.")
COMPLETE = gettext_noop("In the end the Deployment has all its replicas available.")
ANSWERED = gettext_noop("In the last minute every request to the Service is answered.")
SERVED = gettext_noop("The Service answers requests.")
KEPT = gettext_noop("The Deployment and the Service are never deleted.")


DRAINED = gettext_noop("The drain of `node-1` finishes.")
_DRAINED = Check(id="drained", text=DRAINED, eventually=RecordPattern(machine="drain", subject="node/node-1", target="drained"))
_DRAIN_S = 40


def _checks(app: App) -> tuple[Check, ...]:
    workload = f"deployment/default/{app.name}"
    at = f"{HORIZON_S - 1}s"
    lost = RecordPattern(machine="api_object", subject=f"*/default/{app.name}", target="gone")
    return (
        Check(id="complete", text=COMPLETE, always=RecordPattern(machine="workload", subject=workload, target="complete"), at=at),
        Check(
            id="answered",
            text=ANSWERED,
            lasts=RecordPattern(machine="requests", subject=f"requests/default/{app.name}/*", target=("refused", "error", "timeout")),
            max="0s",
            from_=f"{HORIZON_S - 60}s",
        ),
        Check(
            id="served",
            text=SERVED,
            eventually=RecordPattern(machine="requests", subject=f"requests/default/{app.name}/*", target=("answered", "retried")),
        ),
        Check(id="kept", text=KEPT, never=lost),
    )


def _healthy(name: str, *, replicas: int) -> App:
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5}
    container = {
        "name": "app",
        "image": "nginx:1.27",
        "ports": [{"containerPort": 80}],
        "envFrom": [{"configMapRef": {"name": f"{name}-config"}}],
        "readinessProbe": deepcopy(probe),
        "livenessProbe": {**deepcopy(probe), "initialDelaySeconds": 5},
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
    }
    labels = {"app": name}
    return App(
        name=name,
        deployment={
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        },
        service={
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "annotations": {"podscope.dev/load": "rate=20 duration=50ms after=20s from=outside"}},
            "spec": {"selector": dict(labels), "ports": [{"port": 80}]},
        },
        config={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-config"}, "data": {"MODE": "production"}},
    )


def _quota(pods: str) -> Object:
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": pods}}}


def _budget(name: str, most: int) -> Object:
    """A PodDisruptionBudget that allows ``most`` disrupted pods at a time."""
    spec = {"maxUnavailable": most, "selector": {"matchLabels": {"app": name}}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}


def _script(app: App) -> str:
    """The script that cordons and drains the application's nodes."""
    cordons = [{"at": 0, "cordon": {"node": name}} for name in NODES] if app.is_cordoned else []
    drains = [{"at": _DRAIN_S, "drain": {"node": NODES[0]}}] if app.budget is not None else []
    return json.dumps([*cordons, *drains]) if cordons or drains else ""


def _node(name: str, app: App) -> Object:
    key, _sign, rest = app.taint.partition("=")
    value, _colon, effect = rest.partition(":")
    return {"name": name, **({"taints": [{"key": key, "value": value, "effect": effect}]} if app.taint else {})}


def _mending(broken: App, healthy: App) -> list[LevelAct]:
    """The acts that turn one application into another, from 30 s on."""
    acts: list[LevelAct] = []
    if broken.taint and not healthy.taint:
        acts += ({"do": "taint", "node": name, "remove": [broken.taint]} for name in NODES)
    if broken.is_cordoned and not healthy.is_cordoned:
        acts += ({"do": "cordon", "node": name, "unschedulable": False} for name in NODES)
    if broken.quota != healthy.quota:
        acts.append({"do": "apply", "documents": [json.dumps(healthy.quota or _quota("20"))]})
    pairs = (
        (broken.budget, healthy.budget),
        (broken.config, healthy.config),
        (broken.service, healthy.service),
        (broken.deployment, healthy.deployment),
    )
    acts += ({"do": "apply", "documents": [json.dumps(whole)]} for old, whole in pairs if old != whole and whole is not None)
    return [{"at": f"{30 + n}s", **act} for n, act in enumerate(acts)]


def _without(app: App, faults: Sequence[Fault], left_in: int) -> Solution:
    """A wrong solution that fixes all faults but one."""
    broken, partly = deepcopy(app), deepcopy(app)
    for fault in faults:
        fault.put(broken)
    faults[left_in].put(partly)
    return Solution(name=f"all but {faults[left_in].id}", expect="fail", acts=tuple(_mending(broken, partly)))


def _is_sound(level: Level) -> bool:
    """Whether the task behaves as promised at both its seeds: only fixing all faults passes, and doing nothing does not."""
    nothing = Solution(name="nothing", expect="fail")
    return all(
        play_level(level, solution.steps(), seed=seed).passed is (solution.expect == "pass")
        for solution in (*level.solutions, nothing)
        for seed in level.seeds
    )


def cause_shown(practice: Practice, record: Record) -> Fault | None:
    """The fault of the task that a record shows, or None."""
    found = (fault for fault in practice.faults for pattern in fault.evidence if pattern.matches(record))
    return next(found, None)
