"""Rejected claims, volumes, nodes, budgets, classes, limits and quotas, with their messages."""

import pytest


def thing(kind: str, spec: dict | None = None, api_version: str = "v1", **rest: object) -> dict:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, **({} if spec is None else {"spec": spec}), **rest}


CLAIM = thing("PersistentVolumeClaim", {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})
VOLUME = thing("PersistentVolume", {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/x"}})
NODE = thing("Node", {"taints": [{"key": "a", "effect": "NoSchedule"}]})
NAMESPACE = thing("Namespace")
BUDGET = thing("PodDisruptionBudget", {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}, "policy/v1")
PRIORITY = thing("PriorityClass", api_version="scheduling.k8s.io/v1", value=1000)
CSI_NODE = thing("CSINode", {"drivers": [{"name": "example.com", "nodeID": "n"}]}, "storage.k8s.io/v1")
RUNTIME = thing("RuntimeClass", api_version="node.k8s.io/v1", handler="runc")
LIMITS = thing("LimitRange", {"limits": [{"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1"}}]})
QUOTA = thing("ResourceQuota", {"hard": {"pods": "4"}})
ACCOUNT = thing("ServiceAccount")
NOT_NEGATIVE = "must be greater than or equal to 0"


@pytest.mark.parametrize("minor", [20, 30, 37])
@pytest.mark.parametrize(
    "document", [CLAIM, VOLUME, NODE, NAMESPACE, BUDGET, PRIORITY, CSI_NODE, RUNTIME, LIMITS, QUOTA, ACCOUNT], ids=lambda item: item["kind"]
)
def test_object_is_accepted_when_it_is_plain(said, document, minor):
    assert said(document, {}, minor) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec.accessModes": []}, "spec.accessModes: Required value: at least 1 access mode is required"),
        (
            {"spec.accessModes": ["Often"]},
            'spec.accessModes: Unsupported value: "Often": '
            'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
        ),
        (
            {"spec.accessModes": ["ReadWriteOnce", "ReadWriteOncePod"]},
            "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
        ),
        ({"spec.resources": {}}, "spec.resources[storage]: Required value"),
        (
            {"spec.resources.requests.storage": "0"},
            'spec.resources[storage]: Invalid value: "0": must be greater than zero',
        ),
        ({"spec.volumeMode": "Tape"}, 'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'),
        (
            {"spec.dataSource": {"kind": "Snapshot", "name": "a"}},
            "spec.dataSource: Invalid value: \"Snapshot\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        ),
    ],
)
def test_claim_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(CLAIM, changes) == [expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec.accessModes": None}, "spec.accessModes: Required value"),
        ({"spec.capacity": None}, "spec.capacity: Required value"),
        ({"spec.hostPath": None}, "spec: Required value: must specify a volume type"),
        ({"spec.nfs": {"server": "a", "path": "/"}}, "spec.nfs: Forbidden: may not specify more than 1 volume type"),
        (
            {"spec.hostPath": None, "spec.local": {"path": "/x"}},
            "spec.nodeAffinity: Required value: Local volume requires node affinity",
        ),
        ({"spec.hostPath.path": "/x/../y"}, "spec.hostPath.path: Invalid value: \"/x/../y\": must not contain '..'"),
        ({"spec.hostPath": None, "spec.csi": {"driver": "a.b"}}, "spec.csi.volumeHandle: Required value"),
        (
            {"spec.nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Near"}]}]}}},
            "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator: "
            'Invalid value: "Near": not a valid selector operator',
        ),
        (
            {"spec.persistentVolumeReclaimPolicy": "Burn"},
            'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
        ),
    ],
)
def test_volume_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(VOLUME, changes) == [expected]


@pytest.mark.parametrize(
    ("document", "changes", "expected"),
    [
        (
            NODE,
            {"spec.taints.0.effect": "Never"},
            'metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        ),
        (NODE, {"spec.taints.0.effect": ""}, "metadata.taints[0].effect: Required value"),
        (
            NODE,
            {"spec.taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}]},
            'metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair',
        ),
        (NODE, {"status": {"capacity": {"cpu": "-1"}}}, f'status.capacity.cpu: Invalid value: "-1": {NOT_NEGATIVE}'),
        (
            NODE,
            {"spec.podCIDRs": ["10.0.0.0/24", "10.0.1.0/24"]},
            'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family',
        ),
        (
            NAMESPACE,
            {"spec": {"finalizers": ["mine"]}},
            'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
        ),
        (BUDGET, {"spec.minAvailable": "101%"}, 'spec.minAvailable: Invalid value: "101%": must not be greater than 100%'),
        (BUDGET, {"spec.minAvailable": -1}, f"spec.minAvailable: Invalid value: -1: {NOT_NEGATIVE}"),
        (
            BUDGET,
            {"spec.unhealthyPodEvictionPolicy": "Never"},
            'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
        ),
        (PRIORITY, {"value": 1000000001}, "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"),
        (
            PRIORITY,
            {"preemptionPolicy": "Always"},
            'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
        ),
        (
            PRIORITY,
            {"metadata.name": "system-mine"},
            "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. "
            "error: system-mine is not a known system priority class",
        ),
        (
            LIMITS,
            {"spec.limits.0.min.cpu": "3"},
            'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
        ),
        (
            LIMITS,
            {"spec.limits.0.default": {"cpu": "3"}},
            'spec.limits[0].default[cpu]: Invalid value: "2": default value 3 is greater than max value 2',
        ),
        (
            LIMITS,
            {"spec.limits.0.maxLimitRequestRatio": {"cpu": "3"}},
            'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
        ),
        (
            LIMITS,
            {"spec.limits": [{"type": "Pod", "default": {"cpu": "1"}}]},
            "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        ),
        (
            LIMITS,
            {"spec.limits": [{"type": "PersistentVolumeClaim", "max": {"cpu": "1"}}]},
            "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
        ),
        (
            RUNTIME,
            {"scheduling": {"tolerations": [{"operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 1}]}},
            "scheduling.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
        (
            RUNTIME,
            {"overhead": {"podFixed": {"cpu": "-1"}}},
            f'overhead.podFixed.limits[cpu]: Invalid value: "-1": {NOT_NEGATIVE}',
        ),
        (LIMITS, {"spec.limits": [{"type": "Pod"}, {"type": "Pod"}]}, 'spec.limits[1].type: Duplicate value: "Pod"'),
        (
            LIMITS,
            {"spec.limits.0.type": "Cluster"},
            'spec.limits[0].type: Invalid value: "Cluster": must be a standard limit type or fully qualified',
        ),
        (QUOTA, {"spec.hard.pods": "-1"}, f'spec.hard[pods]: Invalid value: "-1": {NOT_NEGATIVE}'),
        (QUOTA, {"spec.hard.pods": "1500m"}, 'spec.hard[pods]: Invalid value: "1500m": must be an integer'),
        (
            QUOTA,
            {"spec.hard.bananas": "1"},
            'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource type or fully qualified',
        ),
        (
            QUOTA,
            {"spec.scopes": ["Terminating", "NotTerminating"]},
            'spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes',
        ),
        (
            QUOTA,
            {"spec.scopes": ["BestEffort"], "spec.hard": {"cpu": "1"}},
            'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
        ),
        (
            QUOTA,
            {"spec.scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}},
            "spec.scopeSelector.matchExpressions.values: Required value: "
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
    ],
)
def test_object_is_rejected_when_a_field_is_wrong(said, document, changes, expected):
    assert expected in said(document, changes)


def test_budget_is_rejected_when_it_says_both_numbers(said):
    (found,) = said(BUDGET, {"spec.maxUnavailable": 1})
    assert found.startswith("spec: Invalid value: ") and found.endswith(": minAvailable and maxUnavailable cannot be both set")


@pytest.mark.parametrize(("name", "value"), [("system-cluster-critical", 2000000000), ("system-node-critical", 2000001000)])
def test_class_of_the_system_is_accepted_when_it_is_as_it_is(said, name, value):
    assert said(PRIORITY, {"metadata.name": name, "value": value}) == []


@pytest.mark.parametrize("document", [NAMESPACE, RUNTIME])
def test_name_is_a_label_when_the_kind_asks_for_one(said, document):
    key = "handler" if document is RUNTIME else "metadata.name"
    (found,) = said(document, {key: "a.b"})
    assert found.startswith(f'{key}: Invalid value: "a.b": a lowercase RFC 1123 label must consist of')


BOUND = {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}}
SPEC_KEPT = "Forbidden: spec is immutable after creation except"


@pytest.mark.parametrize(
    ("document", "before", "after", "minor", "expected"),
    [
        (
            CLAIM,
            {},
            {"spec.resources.requests.storage": "2Gi"},
            35,
            f"spec: {SPEC_KEPT} resources.requests and volumeAttributesClassName for bound claims",
        ),
        (CLAIM, BOUND, {"spec.accessModes": ["ReadOnlyMany"]}, 28, f"spec: {SPEC_KEPT} resources.requests for bound claims"),
        (
            CLAIM,
            BOUND,
            {"spec.resources.requests.storage": "1"},
            35,
            "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
        ),
        (
            CLAIM,
            BOUND,
            {"spec.resources.requests.storage": "1"},
            31,
            "spec.resources.requests.storage: Forbidden: field can not be less than previous value",
        ),
        (
            VOLUME,
            {},
            {"spec.hostPath.path": "/y"},
            35,
            "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
        ),
        (PRIORITY, {}, {"value": 5}, 35, "value: Forbidden: may not be changed in an update."),
        (PRIORITY, {}, {"preemptionPolicy": "Never"}, 35, 'preemptionPolicy: Invalid value: "Never": field is immutable'),
        (QUOTA, {}, {"spec.scopes": ["NotBestEffort"]}, 35, 'spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable'),
        (RUNTIME, {}, {"handler": "gvisor"}, 35, 'handler: Invalid value: "gvisor": field is immutable'),
        (
            NODE,
            {"spec.podCIDRs": ["10.0.0.0/24"]},
            {"spec.podCIDRs": ["10.0.1.0/24"]},
            35,
            'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        ),
        (
            NODE,
            {"spec.providerID": "a://1"},
            {"spec.providerID": "a://2"},
            35,
            'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
        ),
    ],
)
def test_change_is_refused_when_it_touches_what_stays(refused, document, before, after, minor, expected):
    assert [text.split("\n")[0] for text in refused(document, before, after, minor)] == [expected]


def test_change_of_a_claim_is_shown_line_by_line_when_it_is_refused(refused):
    (found,) = refused(CLAIM, {"spec.storageClassName": "fast"}, {"spec.storageClassName": "slow"})
    assert [line for line in found.replace("\u00a0", " ").split("\n") if line[:1] in ("-", "+")] == [
        '- \tStorageClassName: &"fast",',
        '+ \tStorageClassName: &"slow",',
    ]


@pytest.mark.parametrize(
    ("document", "before", "after"),
    [
        (CLAIM, BOUND, {"spec.resources.requests.storage": "2Gi"}),
        (CLAIM, {}, {"spec.volumeName": "pv"}),
        (NODE, {}, {"spec.podCIDRs": ["10.0.0.0/24"], "spec.unschedulable": True, "spec.taints": None}),
        (BUDGET, {}, {"spec.minAvailable": 2}),
        (LIMITS, {}, {"spec.limits.0.max.cpu": "4"}),
        (QUOTA, {}, {"spec.hard.pods": "9"}),
        (NAMESPACE, {}, {"metadata.labels": {"a": "b"}}),
    ],
)
def test_change_is_accepted_when_it_is_free(refused, document, before, after):
    assert refused(document, before, after) == []


@pytest.mark.parametrize(
    ("drivers", "expected"),
    [
        ([{"nodeID": "n"}], ["spec.drivers[0].name: Required value"]),
        ([{"name": "a.com"}], ["spec.drivers[0].nodeID: Required value"]),
        ([{"name": "a.com", "nodeID": "n"}, {"name": "a.com", "nodeID": "m"}], ['spec.drivers[1].name: Duplicate value: "a.com"']),
    ],
)
def test_node_of_drivers_is_rejected_when_a_driver_is_wrong(said, drivers, expected):
    assert said(CSI_NODE, {"spec.drivers": drivers}) == expected
