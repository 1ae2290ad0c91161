"""What admission adds to every pod's spec: service account and token, and tolerations for trouble with its node.

Source: plugin/pkg/admission/{serviceaccount,defaulttolerationseconds}, checked against objects
stored by a 1.20.2 server.
"""

from simulator.engine.apiserver.admission.surroundings import NotAdmitted, Surroundings
from simulator.engine.apiserver.defaulting.containers import maps
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.meta import MIRROR
from simulator.engine.model.references import refers_to_secret
from simulator.engine.model.service_account import BOUND_PREFIX, TOKEN_PATH, token_volume
from simulator.engine.versions.release import Release

_UNREACHABLE_S = 300
_TROUBLE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def add_service_account(pod: Json, known: Surroundings, *, release: Release, namespace: str, suffix: str) -> None:
    """Set the account under both of its names, and mount its token in every container with nothing mounted there, in place.

    ``suffix`` is the random end of the token volume's name. A mirror of a static pod gets nothing and may refer to nothing.
    Raises NotAdmitted.
    """
    spec = pod["spec"]
    if MIRROR in ((pod.get("metadata") or {}).get("annotations") or {}):
        _check_mirror(pod)
        return
    # serviceAccount is the deprecated alias; whichever is set, both fields are stored.
    account = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
    if known.service_accounts is not None and account not in known.service_accounts:
        why = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
        raise NotAdmitted(pod, why, field="spec.serviceAccountName")
    spec["serviceAccountName"] = spec["serviceAccount"] = account
    if spec.get("automountServiceAccountToken") is not False:
        is_bound = release.facts.bound_tokens
        _mount_token(spec, token_volume(f"{BOUND_PREFIX if is_bound else f'{account}-token-'}{suffix}", bound=is_bound))


def _check_mirror(pod: Json) -> None:
    """Check that the mirror of a static pod refers to nothing in the API server."""
    spec = pod["spec"]
    volumes = spec.get("volumes") or ()
    if spec.get("serviceAccountName") or spec.get("serviceAccount"):
        raise NotAdmitted(pod, "a mirror pod may not reference service accounts", field="spec.serviceAccountName")
    if refers_to_secret(spec):
        raise NotAdmitted(pod, "a mirror pod may not reference secrets")
    sources = [source for volume in volumes for source in (volume.get("projected") or {}).get("sources") or ()]
    if any(source.get("serviceAccountToken") is not None for source in sources):
        raise NotAdmitted(pod, "a mirror pod may not use ServiceAccountToken volume projections")


def admit_change(old: Json, spec: Json) -> None:
    """Add to a changed spec, in place, what admission adds: the stored priority if the change leaves it out, and the tolerations."""
    for name in ("priority", "preemptionPolicy"):
        if spec.get(name) is None and old.get(name) is not None:
            spec[name] = old[name]
    add_node_tolerations(spec)


def add_node_tolerations(spec: Json) -> None:
    """Let the pod stay five minutes on a node that is not ready or unreachable, unless it has tolerations of its own for that."""
    tolerations = spec["tolerations"] = maps(spec, "tolerations")
    for key in _TROUBLE:
        # An empty key or effect tolerates everything, so such a toleration counts as the pod's own.
        if not any(item.get("key", "") in ("", key) and item.get("effect", "") in ("", "NoExecute") for item in tolerations):
            tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _UNREACHABLE_S})


def _mount_token(spec: Json, token: Json) -> None:
    mounted = False
    for container in (*maps(spec, "initContainers"), *maps(spec, "containers")):
        mounts = container["volumeMounts"] = maps(container, "volumeMounts")
        if all(mount.get("mountPath") != TOKEN_PATH for mount in mounts):
            mounts.append({"name": token["name"], "mountPath": TOKEN_PATH, "readOnly": True})
            mounted = True
    # The volume is added only if a container mounts it: a pod whose containers all mount something
    # of their own at that path gets no token volume. A copy of a pod already has the volume.
    if mounted and all(volume.get("name") != token["name"] for volume in maps(spec, "volumes")):
        spec["volumes"] = [*(spec.get("volumes") or ()), token]
