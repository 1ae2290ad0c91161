"""The claims of a StatefulSet's pods: created before the pod, deleted only through their owners.

Each claim template gives every ordinal a claim of a fixed name, which is created before the pod and
found again by its successor: that is how data survives. The controller itself never deletes a
claim.

persistentVolumeClaimRetentionPolicy works through ownership instead. A claim owned by the set goes
with the set (whenDeleted: Delete), one owned by a condemned pod goes with this pod (whenScaled:
Delete), both by the garbage collector; without an owner it stays. The owners are brought up to date
whenever a pod is handled, so scaling up again in time takes the pod out of the list.

A race follows: a claim that still names an earlier pod as its owner will be deleted with it. A pod
created now would lose its data at once, so the set waits until that claim is gone
(``is_claim_stale``).

Source: pkg/controller/statefulset/stateful_pod_control.go, stateful_set_utils.go
updateClaimOwnerRefForSetAndPod.
"""

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.apiserver.store.creation import creating
from simulator.engine.controllers.stateful_set.identity import claim_name, claim_templates, ordinal_of
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.workloads.objects import parsed, put_metadata, spec_of, stored_object
from simulator.engine.workloads.pod_control import PodNotMade, refusal_text
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

KIND = "PersistentVolumeClaim"
_POD = "Pod"

RULES = (
    RuleText(
        "STATEFULSET-CLAIM",
        gettext_noop(
            "The pod’s claims are created before it. They stay when the pod goes, so the next pod with that ordinal finds its data."
        ),
        "pkg/controller/statefulset/stateful_pod_control.go createPersistentVolumeClaims",
    ),
    RuleText(
        "STATEFULSET-CLAIM-OWNER",
        gettext_noop("Under persistentVolumeClaimRetentionPolicy, the claim is deleted along with {owner}."),
        "pkg/controller/statefulset/stateful_set_utils.go updateClaimOwnerRefForSetAndPod",
    ),
)


def claims_of(fx: Effects, row: ApiObject, pod_name: str) -> list[ApiObject]:
    """The existing claims of a pod."""
    names = (claim_name(item, row.name, ordinal_of(pod_name)) for item in claim_templates(row))
    found = (stored_object(fx, KIND, row.namespace, name) for name in names)
    return [claim for claim in found if claim is not None]


def is_claim_stale(fx: Effects, row: ApiObject, pod_name: str) -> bool:
    """Whether a claim still belongs to an earlier pod of that name: it is going with that pod (PodClaimIsStale)."""
    return any(
        owner.get("kind") == _POD and owner.get("name") == pod_name for claim in claims_of(fx, row, pod_name) for owner in _owners(claim)
    )


def make_claims(fx: Effects, row: ApiObject, pod_name: str, *, component: str) -> None:
    """Create a pod's missing claims. Raises PodNotMade if the server rejects one, or one is being deleted."""
    selector = (spec_of(row).get("selector") or {}).get("matchLabels") or {}
    problems: list[str] = []
    for template in fx.each(claim_templates(row)):
        name = claim_name(template, row.name, ordinal_of(pod_name))
        there = stored_object(fx, KIND, row.namespace, name)
        if there is not None:
            if there.deletion_ms is not None:
                problems.append(f"pvc {name} is being deleted")
            continue
        metadata = {**(template.get("metadata") or {}), "name": name, "namespace": row.namespace}
        metadata["labels"] = {**(metadata.get("labels") or {}), **selector}
        claim = {"apiVersion": "v1", "kind": KIND, "metadata": metadata, "spec": template.get("spec") or {}}
        try:
            creating(fx, claim, row.namespace)()
        except (ApiError, Refusal) as error:
            problem = refusal_text(error)[0]
            problems.append(f"failed to create PVC {name}: {problem}")
            text = f"create Claim {name} for Pod {pod_name} in StatefulSet {row.name} failed error: {problem}"
            emit_of_controller(fx, row, component, severity="Warning", reason="FailedCreate", message=text, rule="STATEFULSET-CLAIM")
        else:
            text = f"create Claim {name} Pod {pod_name} in StatefulSet {row.name} success"
            emit_of_controller(fx, row, component, reason="SuccessfulCreate", message=text, rule="STATEFULSET-CLAIM")
    if problems:
        text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
        raise PodNotMade(text, is_ending=fx.world.is_terminating(row.namespace))


def own_claims(fx: Effects, row: ApiObject, pod: PodRow, *, condemned: bool) -> None:
    """Make a pod's claims name the owners that the retention policy requires; without a difference nothing is written."""
    if not claim_templates(row):
        return
    policy = spec_of(row).get("persistentVolumeClaimRetentionPolicy") or {}
    with_pod = condemned and policy.get("whenScaled") == "Delete"
    with_set = policy.get("whenDeleted") == "Delete" and not with_pod
    for claim in fx.each(claims_of(fx, row, pod.name)):
        owners = _owners(claim)
        has_set, has_pod = (any(item.get("uid") == uid for item in owners) for uid in (row.uid, pod.uid))
        if (has_set, has_pod) == (with_set, with_pod):
            continue
        kept = [item for item in owners if item.get("uid") not in (row.uid, pod.uid)]
        if with_set:
            kept.append(_reference(fx, str(parsed(row).get("apiVersion")), row.kind, row.name, row.uid))
        elif with_pod:
            kept.append(_reference(fx, "v1", _POD, pod.name, pod.uid))
        owner = f"StatefulSet {row.name}" if with_set else f"Pod {pod.name}" if with_pod else "nobody"
        fx.cause = fx.note_step(claim.subject, "owned", rule="STATEFULSET-CLAIM-OWNER", data=(("owner", owner),))
        put_metadata(fx, claim, {"ownerReferences": kept})


def _owners(claim: ApiObject) -> list[Json]:
    return list((parsed(claim).get("metadata") or {}).get("ownerReferences") or ())


def _reference(fx: Effects, version: str, kind: str, name: str, uid: str) -> Json:
    reference: Json = {"apiVersion": version, "kind": kind, "name": name, "uid": uid}
    return {**reference, "controller": True, "blockOwnerDeletion": True} if fx.profile.claim_owner_controls else reference
