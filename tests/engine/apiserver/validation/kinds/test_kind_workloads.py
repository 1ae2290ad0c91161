"""Rejected Deployments, ReplicaSets, StatefulSets and DaemonSets, with their messages."""

import pytest

TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}
SPEC = {"selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE}
KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
NOT_NEGATIVE = "Invalid value: -1: must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
MANIFEST_LABEL = "a valid label must be an empty string or consist of alphanumeric characters"


def workload(kind: str) -> dict:
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w", "namespace": "default"}, "spec": SPEC}


@pytest.mark.parametrize("minor", [20, 25, 30, 37])
@pytest.mark.parametrize("kind", KINDS)
def test_workload_is_accepted_when_it_is_plain(said, kind, minor):
    assert said(workload(kind), {}, minor) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec.selector.matchLabels.app": "b"}, f'spec.template.metadata.labels: Invalid value: {{"app":"a"}}: {MISMATCH}'),
        ({"spec.minReadySeconds": -1}, f"spec.minReadySeconds: {NOT_NEGATIVE}"),
        (
            {"spec.template.spec.restartPolicy": "Never"},
            'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        ),
        ({"spec.template.spec.containers": []}, "spec.template.spec.containers: Required value"),
        (
            {"spec.template.spec.ephemeralContainers": [{"name": "d", "image": "busybox"}]},
            "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
        ),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_workload_is_rejected_when_it_makes_no_good_pods(said, kind, changes, expected):
    assert expected in said(workload(kind), changes)


@pytest.mark.parametrize(("kind", "owner"), [("Deployment", "ReplicaSet"), ("ReplicaSet", "ReplicaSet"), ("DaemonSet", "DaemonSet")])
def test_deadline_is_forbidden_when_pods_run_forever(said, kind, owner):
    expected = f"spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in {owner} is not Supported"
    assert said(workload(kind), {"spec.template.spec.activeDeadlineSeconds": 9}) == [expected]


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_selector_is_required_when_it_is_missing(said, kind):
    assert "spec.selector: Required value" in said(workload(kind), {"spec.selector": None})


def test_labels_do_not_match_when_a_daemon_set_has_no_selector(said):
    assert said(workload("DaemonSet"), {"spec.selector": None}) == [
        f'spec.template.metadata.labels: Invalid value: {{"app":"a"}}: {MISMATCH}'
    ]


@pytest.mark.parametrize(("kind", "word"), [("Deployment", "deployment"), ("StatefulSet", "statefulset"), ("DaemonSet", "daemonset")])
def test_selector_is_invalid_when_it_is_empty(said, kind, word):
    assert said(workload(kind), {"spec.selector": {}}) == [f"spec.selector: Invalid value: {{}}: empty selector is invalid for {word}"]


def test_values_are_in_go_notation_when_the_version_is_before_1_34(said):
    expected = f'spec.template.metadata.labels: Invalid value: map[string]string{{"app":"a"}}: {MISMATCH}'
    assert said(workload("Deployment"), {"spec.selector.matchLabels.app": "b"}, 33) == [expected]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ({"operator": "In"}, ".values: Required value: must be specified when `operator` is 'In' or 'NotIn'"),
        (
            {"operator": "Exists", "values": ["a"]},
            ".values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        ({"operator": "Like"}, '.operator: Invalid value: "Like": not a valid selector operator'),
    ],
)
def test_selector_is_invalid_when_an_expression_is_malformed(said, expression, expected):
    changes = {"spec.selector.matchExpressions": [{"key": "app", **expression}]}
    assert said(workload("Deployment"), changes) == [f"spec.selector.matchExpressions[0]{expected}"]


@pytest.mark.parametrize("operator", ["In", "NotIn", "Exists", "DoesNotExist"])
def test_expression_decides_when_the_template_has_the_label(said, operator):
    expression = {"key": "app", "operator": operator, **({"values": ["a"]} if operator.endswith("In") else {})}
    found = said(workload("Deployment"), {"spec.selector.matchExpressions": [expression]})
    assert (found == []) is (operator in ("In", "Exists"))


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_the_template_are_named_without_metadata(said, kind):
    changes = {"spec.template.metadata.labels.app": "a b", "spec.selector.matchLabels.app": "a b"}
    (found,) = [text for text in said(workload(kind), changes) if text.startswith("spec.template.labels")]
    assert found.startswith(f'spec.template.labels: Invalid value: "a b": {MANIFEST_LABEL}')


def test_image_with_blanks_is_accepted_when_it_stands_in_a_template(said):
    assert said(workload("Deployment"), {"spec.template.spec.containers.0.image": " busybox "}) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec.replicas": -1}, f"spec.replicas: {NOT_NEGATIVE}"),
        ({"spec.revisionHistoryLimit": -1}, f"spec.revisionHistoryLimit: {NOT_NEGATIVE}"),
        (
            {"spec.progressDeadlineSeconds": 5, "spec.minReadySeconds": 5},
            "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
        ),
        (
            {"spec.strategy": {"type": "Recreate", "rollingUpdate": {}}},
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        ),
        (
            {"spec.strategy": {"type": "Blue"}},
            'spec.strategy: Unsupported value: {"Type":"Blue","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
        ),
        (
            {"spec.strategy.rollingUpdate": {"maxUnavailable": 0, "maxSurge": "0%"}},
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
        ),
        (
            {"spec.strategy.rollingUpdate": {"maxUnavailable": "101%"}},
            'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
        ),
        ({"spec.strategy.rollingUpdate": {"maxSurge": -1}}, f"spec.strategy.rollingUpdate.maxSurge: {NOT_NEGATIVE}"),
        (
            {"spec.strategy.rollingUpdate": {"maxSurge": "many"}},
            f'spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": {PERCENT}',
        ),
    ],
)
def test_deployment_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(workload("Deployment"), changes) == [expected]


@pytest.mark.parametrize(
    ("rolling", "minor", "expected"),
    [
        ({"maxUnavailable": 1, "maxSurge": 1}, 22, ".maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"),
        ({"maxUnavailable": 0, "maxSurge": 0}, 22, ".maxUnavailable: Required value: cannot be 0 when maxSurge is 0"),
        ({"maxUnavailable": 0}, 21, ".maxUnavailable: Invalid value: 0: cannot be 0"),
        ({"maxUnavailable": "120%"}, 35, '.maxUnavailable: Invalid value: "120%": must not be greater than 100%'),
    ],
)
def test_daemon_set_is_rejected_when_its_rolling_update_is_wrong(said, rolling, minor, expected):
    found = said(workload("DaemonSet"), {"spec.updateStrategy.rollingUpdate": rolling}, minor)
    shown = expected.replace("value: 1:", 'value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}:') if minor == 22 else expected
    shown = shown.replace("value: 0:", 'value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}:') if minor == 21 else shown
    assert found == [f"spec.updateStrategy.rollingUpdate{shown}"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"spec.podManagementPolicy": "Random"},
            "spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'",
        ),
        ({"spec.updateStrategy.rollingUpdate": {"partition": -1}}, f"spec.updateStrategy.rollingUpdate.partition: {NOT_NEGATIVE}"),
        (
            {"spec.updateStrategy.rollingUpdate": {"maxUnavailable": 0}},
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
        ),
        (
            {"spec.updateStrategy": {"type": "OnDelete", "rollingUpdate": {}}},
            "spec.updateStrategy.rollingUpdate: Invalid value: {}: only allowed for updateStrategy 'RollingUpdate'",
        ),
        (
            {"spec.updateStrategy": {"type": "Blue"}},
            'spec.updateStrategy: Invalid value: {"Type":"Blue","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
        ),
        ({"spec.ordinals": {"start": -1}}, f"spec.ordinals.start: {NOT_NEGATIVE}"),
        (
            {"spec.persistentVolumeClaimRetentionPolicy": {"whenScaled": "Archive"}},
            'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Archive": supported values: "Retain", "Delete"',
        ),
        (
            {"spec.volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}]},
            "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
        ),
    ],
)
def test_stateful_set_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(workload("StatefulSet"), changes) == [expected]


def test_claims_are_volumes_when_containers_mount_them(said):
    claim = {"metadata": {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    mounts = [{"name": "d", "mountPath": "/d"}]
    changes = {"spec.volumeClaimTemplates": [claim], "spec.template.spec.containers.0.volumeMounts": mounts}
    assert said(workload("StatefulSet"), changes) == []


def test_broken_template_is_a_warning_when_the_server_does_not_look_into_it(said, warned):
    changes = {"spec.template.spec.containers.0.image": ""}
    assert said(workload("StatefulSet"), changes, 33) == []
    assert warned(workload("StatefulSet"), changes, 33) == ["spec.template.spec.containers[0].image: Required value"]


@pytest.mark.parametrize(("minor", "is_accepted"), [(26, True), (27, False)])
def test_stateful_set_name_is_a_label_since_1_27(said, minor, is_accepted):
    assert (said(workload("StatefulSet"), {"metadata.name": "a.b"}, minor) == []) is is_accepted
