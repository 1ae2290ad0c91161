"""Facts about kinds: names, groups, and which API versions each release serves."""

import pytest

from simulator.engine.model.kinds import KINDS, kind_of


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("po", "Pod"),
        ("pods", "Pod"),
        ("deploy", "Deployment"),
        ("deployments.apps", "Deployment"),
        ("PVC", "PersistentVolumeClaim"),
        ("priorityclasses", "PriorityClass"),
        ("limits", "LimitRange"),
        ("quota", "ResourceQuota"),
    ],
)
def test_kind_is_found_by_any_of_its_names(word, kind):
    found = kind_of(word)
    assert found is not None and found.kind == kind


def test_kind_is_none_when_no_resource_has_the_name():
    assert kind_of("bananas") is None


@pytest.mark.parametrize(
    ("kind", "minor", "versions"),
    [
        ("Pod", 20, ("v1",)),
        ("CronJob", 20, ("batch/v1beta1",)),
        ("CronJob", 24, ("batch/v1", "batch/v1beta1")),
        ("CronJob", 25, ("batch/v1",)),
        ("PodDisruptionBudget", 20, ("policy/v1beta1",)),
        ("PodDisruptionBudget", 25, ("policy/v1",)),
        ("RuntimeClass", 25, ("node.k8s.io/v1",)),
        ("PriorityClass", 22, ("scheduling.k8s.io/v1",)),
        ("StorageClass", 21, ("storage.k8s.io/v1", "storage.k8s.io/v1beta1")),
        ("CSINode", 22, ("storage.k8s.io/v1",)),
        ("HorizontalPodAutoscaler", 22, ("autoscaling/v1", "autoscaling/v2beta2")),
        ("HorizontalPodAutoscaler", 25, ("autoscaling/v2", "autoscaling/v1", "autoscaling/v2beta2")),
    ],
)
def test_versions_are_those_that_the_release_serves(kind, minor, versions):
    assert KINDS[kind].api_versions(minor) == versions


def test_kind_is_not_served_when_its_version_is_gone():
    assert "batch/v1beta1" not in KINDS["CronJob"].api_versions(25)
    assert "batch/v1" in KINDS["CronJob"].api_versions(25)


def test_names_are_unique():
    words = [word for info in KINDS.values() for word in {info.singular, info.plural, *info.short_names}]
    assert len(words) == len(set(words))


def test_resource_has_its_group_when_it_has_one():
    assert (KINDS["Pod"].resource, KINDS["Job"].resource) == ("pods", "jobs.batch")
