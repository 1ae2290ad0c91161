"""Advice about workloads and disruption budgets."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.pod_rules import fields, number, text
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.editor.advice.advisers import OBJECT, AdviceScene, Hint, ObjectPlace, advice
from simulator.manifests.editor.advice.services import selects
from simulator.manifests.texts import _

_PDB = "tasks/run-application/configure-pdb/"


@advice(
    "pdb-allows-nothing",
    OBJECT,
    why=gettext_noop("No eviction is ever allowed: kubectl drain waits forever, and so does every node upgrade."),
    doc=f"{_PDB}#specifying-a-poddisruptionbudget",
)
def pdb_allows_nothing(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A budget that never allows a disruption."""
    if place.kind != "PodDisruptionBudget":
        return
    spec = fields(place.value, "spec")
    if spec.get("maxUnavailable") in (0, "0%"):
        yield Hint(path="spec.maxUnavailable", message=_("no pod can ever be evicted"))
    elif spec.get("minAvailable") == "100%":
        yield Hint(path="spec.minAvailable", message=_("no pod can ever be evicted"))
    elif (wanted := number(spec, "minAvailable")) is not None:
        selector = fields(fields(spec, "selector"), "matchLabels")
        pods = [pod for pod in scene.pods if selects(selector, pod, place.namespace)]
        # The replicas in the manifests: autoscalers are not taken into account.
        replicas = sum(_replicas(fields(pod.owner, "spec")) for pod in pods)
        if pods and wanted >= replicas:
            values = {"wanted": wanted, "replicas": replicas}
            message = _("%(wanted)d must stay available and there are %(replicas)d: no pod can be evicted") % values
            yield Hint(path="spec.minAvailable", message=message)


def _replicas(spec: dict[str, object]) -> int:
    own = number(spec, "replicas")
    return 1 if own is None else own


@advice(
    "pdb-selects-everything",
    OBJECT,
    why=gettext_noop("In policy/v1 an empty selector matches every pod in the namespace (in v1beta1 it matched none)."),
    doc=f"{_PDB}#specifying-a-poddisruptionbudget",
)
def pdb_selects_everything(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A budget for the whole namespace."""
    if place.kind == "PodDisruptionBudget" and fields(place.value, "spec").get("selector") == {}:
        yield Hint(path="spec.selector", message=_("the budget counts every pod in the namespace"))


@advice(
    "rollout-all-at-once",
    OBJECT,
    why=gettext_noop("An update may remove every old pod before a new one is ready: until then, nothing responds."),
    doc="concepts/workloads/controllers/deployment/#max-unavailable",
)
def all_at_once(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A rolling update that may take every pod away at once."""
    rolling = fields(fields(fields(place.value, "spec"), "strategy"), "rollingUpdate")
    if place.kind == "Deployment" and rolling.get("maxUnavailable") == "100%":
        yield Hint(path="spec.strategy.rollingUpdate.maxUnavailable", message=_("all pods may be unavailable at once"))


@advice(
    "job-stays",
    OBJECT,
    why=gettext_noop("A finished Job and its pods stay until someone deletes them, unless ttlSecondsAfterFinished is set."),
    doc="concepts/workloads/controllers/ttlafterfinished/",
    since=21,
)
def job_stays(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A finished Job without a TTL."""
    if place.kind == "Job" and number(fields(place.value, "spec"), "ttlSecondsAfterFinished") is None:
        yield Hint(path="spec", message=_("nothing removes this Job once it has finished"), at_key=True)


@advice(
    "single-replica-recreate",
    OBJECT,
    why=gettext_noop(
        "A Deployment with one replica and strategy Recreate does not respond from the end of the old pod until the new one is ready."
    ),
    doc="concepts/workloads/controllers/deployment/#recreate-deployment",
)
def recreate(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """Downtime on every update."""
    if place.kind == "Deployment" and text(fields(fields(place.value, "spec"), "strategy"), "type") == "Recreate":
        yield Hint(path="spec.strategy.type", message=_("every update is an outage"))


@advice(
    "finalizer-unknown",
    OBJECT,
    why=gettext_noop(
        "Deleting only marks the object until the owner of the finalizer removes it; in the simulation, nothing does unless you do."
    ),
    doc="concepts/overview/working-with-objects/finalizers/",
)
def finalizers(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """An object that deletion alone will not remove."""
    for index, name in enumerate(fields(place.value, "metadata").get("finalizers") or ()):
        if isinstance(name, str) and "kubernetes.io/" not in name:
            yield Hint(path=f"metadata.finalizers[{index}]", message=_("the object stays until this finalizer is removed"))
