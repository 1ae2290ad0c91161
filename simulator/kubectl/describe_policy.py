"""``kubectl describe`` of the objects that govern pods: namespaces, quotas, limits, classes, claims, service accounts.

Cells are separated by tabs.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.documents.moments import long_date
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.span import Span
from simulator.kubectl.describe import annotation_lines, pair_lines
from simulator.kubectl.describe_kinds import head_lines
from simulator.kubectl.find import documents_of
from simulator.kubectl.tables.model import NONE, Sight, at
from simulator.kubectl.tables.stored import access_modes

_ONE_BLANK = Span(until=22)
"""The kubectl versions that indent the quotas of a namespace by one space; seen with 1.20 and 1.24."""
_LIMITS = ("Type", "Resource", "Min", "Max", "Default Request", "Default Limit", "Max Limit/Request Ratio")
_LIMIT_FIELDS = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")


def namespace_lines(document: Json, sight: Sight) -> list[str]:
    """A Namespace with its quotas and limits."""
    metadata = document["metadata"]
    lines = [f"Name:\t{metadata['name']}", *pair_lines("Labels", metadata.get("labels") or {})]
    lines += annotation_lines(metadata.get("annotations") or {})
    lines.append(f"Status:\t{at(document, 'status', 'phase') or ('Terminating' if metadata.get('deletionTimestamp') else 'Active')}")
    lines += _namespace_conditions(document)
    quotas = _of(sight, "ResourceQuota", metadata["name"])
    lines += ["", "Resource Quotas"] if quotas else ["", "No resource quota."]
    for number, quota in enumerate(quotas):
        lines += [""] if number else []
        quota_lines = [f"Name:\t{quota['metadata']['name']}", "Resource\tUsed\tHard", "--------\t---\t---"]
        quota_lines += [f"{name}\t{used}\t{hard}" for name, used, hard in _amounts(quota, sight)]
        lines += [f"{' ' if _ONE_BLANK.holds_for(sight.minor) else '  '}{text}" for text in quota_lines]
    limits = _of(sight, "LimitRange", metadata["name"])
    if not limits:
        return [*lines, "", "No LimitRange resource."]
    head = ["\t".join(_LIMITS), "\t".join("-" * len(word) for word in _LIMITS)]
    rows = [f" {row}" for item in limits for row in _limit_rows(item)]
    return [*lines, "", "Resource Limits", *(f" {line}" for line in head), *rows]


def _namespace_conditions(document: Json) -> list[str]:
    conditions = at(document, "status", "conditions") or ()
    if not conditions:
        return []
    head = ("Type", "Status", "LastTransitionTime", "Reason", "Message")
    rows = ((item["type"], item["status"], long_date(item["lastTransitionTime"]), item["reason"], item["message"]) for item in conditions)
    return ["Conditions:", *("  " + "\t".join(row) for row in (head, tuple("-" * len(word) for word in head), *rows))]


def _of(sight: Sight, kind: str, namespace: str) -> list[Json]:
    return [item for item in sight.objects(kind) if item["metadata"].get("namespace") == namespace]


def _amounts(document: Json, sight: Sight) -> Iterator[tuple[str, str, str]]:
    hard, used = at(document, "status", "hard") or {}, at(document, "status", "used") or {}
    for name in sorted(hard):
        yield name, str(used.get(name, 0)), str(hard[name])


_SCOPES = {
    "Terminating": "Matches all pods that have an active deadline."
    " These pods have a limited lifespan on a node before being actively terminated by the system.",
    "NotTerminating": "Matches all pods that do not have an active deadline."
    " These pods usually include long running pods whose container command is not expected to terminate.",
    "BestEffort": "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
    "NotBestEffort": "Matches all pods that have at least one resource requirement set."
    " These pods have a burstable or guaranteed quality of service.",
}
"""kubectl's descriptions of scopes (pkg/describe helpTextForResourceQuotaScope)."""


def quota_lines(document: Json, sight: Sight) -> list[str]:
    """A ResourceQuota with its usage."""
    metadata = document["metadata"]
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    scopes = sorted(at(document, "spec", "scopes") or ())
    lines += [f"Scopes:\t{', '.join(scopes)}"] if scopes else []
    lines += [f" * {_SCOPES[scope]}" for scope in scopes if scope in _SCOPES]
    lines += ["Resource\tUsed\tHard", "--------\t----\t----"]
    return [*lines, *("\t".join(row) for row in _amounts(document, sight))]


def limit_range_lines(document: Json, sight: Sight) -> list[str]:
    """A LimitRange as a table."""
    metadata = document["metadata"]
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    return [*lines, "\t".join(_LIMITS), "\t".join("-" * len(word) for word in _LIMITS), *_limit_rows(document)]


def _limit_rows(document: Json) -> Iterator[str]:
    for item in at(document, "spec", "limits") or ():
        names = sorted({name for field in _LIMIT_FIELDS for name in item.get(field) or {}})
        for name in names:
            yield "\t".join([str(item.get("type")), name, *(str((item.get(field) or {}).get(name, "-")) for field in _LIMIT_FIELDS)])


def claim_lines(document: Json, sight: Sight) -> list[str]:
    """A PersistentVolumeClaim with the pods that use it."""
    metadata, spec = document["metadata"], document.get("spec") or {}
    status = "Terminating" if metadata.get("deletionTimestamp") else at(document, "status", "phase") or "Pending"
    # An unbound claim has requested an amount and an access mode but has neither yet.
    bound = bool(spec.get("volumeName"))
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    lines += [f"StorageClass:\t{spec.get('storageClassName') or ''}", f"Status:\t{status}", f"Volume:\t{spec.get('volumeName') or ''}"]
    lines += [*pair_lines("Labels", metadata.get("labels") or {}), *annotation_lines(metadata.get("annotations") or {})]
    lines.append(f"Finalizers:\t[{' '.join(metadata.get('finalizers') or ())}]")
    lines.append(f"Capacity:\t{at(document, 'status', 'capacity', 'storage') or '' if bound else ''}")
    lines.append(f"Access Modes:\t{access_modes(at(document, 'status', 'accessModes')) if bound else ''}")
    lines.append(f"VolumeMode:\t{spec.get('volumeMode') or 'Filesystem'}")
    first, *rest = _users(document, sight) or [NONE]
    return [*lines, f"Used By:\t{first}", *(f"\t{name}" for name in rest)]


def _users(document: Json, sight: Sight) -> list[str]:
    wanted, space = document["metadata"]["name"], document["metadata"].get("namespace")
    return sorted(
        row.name
        for row in sight.world.tables.pods.values()
        if row.gone_ms is None
        and row.namespace == space
        and any((volume.persistent_volume_claim or {}).get("claimName") == wanted for volume in row.pod.spec.volumes)
    )


def priority_class_lines(document: Json, sight: Sight) -> list[str]:
    """A PriorityClass."""
    lines = [f"Name:\t{document['metadata']['name']}", f"Value:\t{document.get('value') or 0}"]
    lines.append(f"GlobalDefault:\t{'true' if document.get('globalDefault') else 'false'}")
    if sight.facts.preemption_policy_line:
        lines.append(f"PreemptionPolicy:\t{document.get('preemptionPolicy') or 'PreemptLowerPriority'}")
    return [
        *lines,
        f"Description:\t{document.get('description') or ''}",
        f"Annotations:\t{_pairs(document['metadata'].get('annotations') or {})}",
    ]


def storage_class_lines(document: Json, sight: Sight) -> list[str]:
    """A StorageClass."""
    annotations = document["metadata"].get("annotations") or {}
    is_default = annotations.get("storageclass.kubernetes.io/is-default-class") == "true"
    # A pointer in Go: unset is a third value.
    shown = {True: "True", False: "False", None: "<unset>"}[document.get("allowVolumeExpansion")]
    lines = [f"Name:\t{document['metadata']['name']}", f"IsDefaultClass:\t{'Yes' if is_default else 'No'}"]
    lines += [f"Annotations:\t{_pairs(annotations)}", f"Provisioner:\t{document.get('provisioner') or ''}"]
    lines += [f"Parameters:\t{_pairs(document.get('parameters') or {})}", f"AllowVolumeExpansion:\t{shown}"]
    options = document.get("mountOptions") or ()
    lines += ["MountOptions:", *(f"  {item}" for item in options)] if options else ["MountOptions:\t<none>"]
    return [
        *lines, f"ReclaimPolicy:\t{document.get('reclaimPolicy') or ''}", f"VolumeBindingMode:\t{document.get('volumeBindingMode') or ''}",
    ]  # fmt: skip


def _pairs(pairs: Json) -> str:
    return ",".join(f"{key}={pairs[key]}" for key in sorted(pairs)) or NONE


_TOKENS_LEFT_OUT = Span(since=35)
"""The kubectl versions that leave out the secrets and tokens that an account does not have; seen with 1.34 and 1.35."""


def service_account_lines(document: Json, sight: Sight) -> list[str]:
    """A ServiceAccount."""
    lines = head_lines(document)
    for title, field in (("Image pull secrets", "imagePullSecrets"), ("Mountable secrets", "secrets")):
        names = [str(item.get("name")) for item in document.get(field) or ()]
        if not names and field == "secrets" and _TOKENS_LEFT_OUT.holds_for(sight.minor):
            continue
        first, *rest = names or [NONE]
        lines += [f"{title}:\t{first}", *(f"\t{name}" for name in rest)]
    tokens = _tokens(document, sight)
    if not tokens and _TOKENS_LEFT_OUT.holds_for(sight.minor):
        return lines
    first, *rest = tokens or [NONE]
    return [*lines, f"Tokens:\t{first}", *(f"\t{name}" for name in rest)]


def _tokens(document: Json, sight: Sight) -> list[str]:
    """The Secrets annotated as holding a token of the account (pkg/describe DescribeServiceAccount)."""
    metadata, account = document["metadata"], "kubernetes.io/service-account.name"
    found = []
    for item in documents_of(KINDS["Secret"], sight):
        held = item["metadata"]
        is_own = held.get("namespace") == metadata.get("namespace") and (held.get("annotations") or {}).get(account) == metadata["name"]
        if is_own and item.get("type") == "kubernetes.io/service-account-token":
            found.append(str(held["name"]))
    return found
