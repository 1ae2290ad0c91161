"""Rejected updates of workloads, with their messages."""

import pytest

TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}
SPEC = {"selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE}
POD = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.28"}]}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"spec": POD}}}
CRON = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "c"},
    "spec": {"schedule": "TZ=UTC * * * * *", "jobTemplate": {"spec": {"template": {"spec": POD}}}},
}
ONLY = "spec: Forbidden: updates to statefulset spec for fields other than"
OTHER_LABELS = {"spec.selector.matchLabels.app": "b", "spec.template.metadata.labels.app": "b"}


def workload(kind: str) -> dict:
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w"}, "spec": SPEC}


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "DaemonSet"])
def test_selector_is_immutable_when_it_changes(refused, kind):
    expected = 'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable'
    assert refused(workload(kind), {}, OTHER_LABELS) == [expected]


def test_selector_is_in_go_notation_when_the_version_is_before_1_34(refused):
    go = 'v1.LabelSelector{MatchLabels:map[string]string{"app":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}'
    assert refused(workload("Deployment"), {}, OTHER_LABELS, 33) == [f"spec.selector: Invalid value: {go}: field is immutable"]


def test_mismatch_comes_first_when_only_the_selector_changes(refused):
    found = refused(workload("Deployment"), {}, {"spec.selector.matchLabels.app": "b"})
    assert [text.split(":")[0] for text in found] == ["spec.template.metadata.labels", "spec.selector"]


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])
def test_template_is_free_when_it_still_matches(refused, kind):
    assert refused(workload(kind), {}, {"spec.template.spec.containers.0.image": "busybox:1.36"}) == []


@pytest.mark.parametrize(
    ("minor", "names"),
    [
        (21, "'replicas', 'template', and 'updateStrategy'"),
        (22, "'replicas', 'template', 'updateStrategy' and 'minReadySeconds'"),
        (25, "'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"),
        (
            32,
            "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'",
        ),
        (
            33,
            "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
            "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'",
        ),
    ],
)
def test_stateful_set_names_its_free_fields_when_another_changes(refused, minor, names):
    assert refused(workload("StatefulSet"), {}, {"spec.serviceName": "s"}, minor) == [f"{ONLY} {names} are forbidden"]


@pytest.mark.parametrize(("minor", "is_free"), [(32, False), (33, True)])
def test_revision_limit_of_a_stateful_set_is_free_since_1_33(refused, minor, is_free):
    assert (refused(workload("StatefulSet"), {}, {"spec.revisionHistoryLimit": 3}, minor) == []) is is_free


def test_claim_templates_are_unchanged_when_defaults_were_added(refused):
    claim = {"metadata": {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    stored = {
        **claim,
        "kind": "PersistentVolumeClaim",
        "spec": {**claim["spec"], "volumeMode": "Filesystem"},
        "status": {"phase": "Pending"},
    }
    before, after = {"spec.volumeClaimTemplates": [stored]}, {"spec.volumeClaimTemplates": [claim]}
    assert refused(workload("StatefulSet"), before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"spec.completions": 3}, "spec.completions: Invalid value: 3: field is immutable"),
        (
            {"spec.completionMode": "Indexed", "spec.completions": 3, "spec.parallelism": 3},
            {"spec.completions": 4},
            "spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism",
        ),
        (
            {"spec.completionMode": "NonIndexed", "spec.completions": 3},
            {"spec.completionMode": "Indexed"},
            'spec.completionMode: Invalid value: "Indexed": field is immutable',
        ),
        ({"spec.managedBy": "a.b/c"}, {"spec.managedBy": "a.b/d"}, 'spec.managedBy: Invalid value: "a.b/d": field is immutable'),
    ],
)
def test_change_of_a_job_is_refused_when_it_touches_what_stays(refused, before, after, expected):
    assert refused(JOB, before, after) == [expected]


def test_indexed_job_grows_when_its_parallelism_does(refused):
    before = {"spec.completionMode": "Indexed", "spec.completions": 3, "spec.parallelism": 3}
    assert refused(JOB, before, {"spec.completions": 4, "spec.parallelism": 4}) == []


@pytest.mark.parametrize("key", ["parallelism", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"])
def test_number_of_a_job_is_free(refused, key):
    assert refused(JOB, {}, {f"spec.{key}": 3}) == []


DIRECTIVES = {
    "spec.template.spec.nodeSelector": {"disk": "ssd"},
    "spec.template.spec.tolerations": [{"operator": "Exists"}],
    "spec.template.metadata": {"labels": {"a": "b"}},
    "spec.template.spec.affinity": {"nodeAffinity": {}},
}


@pytest.mark.parametrize(
    ("before", "minor", "is_free"),
    [
        ({"spec.suspend": True}, 35, True),
        ({"spec.suspend": True}, 22, False),
        ({"spec.suspend": True, "status": {"startTime": "2030-01-01T00:00:00Z"}}, 35, False),
        ({}, 35, False),
    ],
)
def test_job_says_where_its_pods_go_when_it_never_started(refused, before, minor, is_free):
    found = refused(JOB, before, DIRECTIVES, minor)
    assert [text.split(":")[0] for text in found] == ([] if is_free else ["spec.template"])


def test_template_stays_when_a_suspended_job_changes_its_image(refused):
    found = refused(JOB, {"spec.suspend": True}, {"spec.template.spec.containers.0.image": "busybox:1.36"})
    assert [text.split(":")[0] for text in found] == ["spec.template"]


def test_schedule_keeps_its_time_zone_when_it_had_one(refused):
    assert refused(CRON, {}, {"spec.schedule": "TZ=UTC 1 * * * *"}) == []


def test_schedule_gets_no_time_zone_when_it_had_none(refused):
    (found,) = refused(CRON, {"spec.schedule": "* * * * *"}, {"spec.schedule": "TZ=UTC * * * * *"})
    assert found.endswith("cannot use TZ or CRON_TZ in schedule, use timeZone field instead")


@pytest.mark.parametrize(("before", "count"), [({}, 1), ({"spec.timeZone": "Not/There"}, 0)])
def test_time_zone_is_judged_again_when_it_changes(refused, before, count):
    changes = {"spec.schedule": "* * * * *", **before}
    assert len(refused(CRON, changes, {"spec.timeZone": "Not/There"})) == count


def test_long_name_of_a_cron_job_is_tolerated_when_it_exists(refused):
    before = {"metadata.name": "c" * 60, "spec.schedule": "* * * * *"}
    assert refused(CRON, before, {"spec.suspend": True}) == []
