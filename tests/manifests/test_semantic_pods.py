"""Where errors stand that the API server names by another path than manifests have."""

import pytest

from simulator.manifests.check.check import check_text

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a, image: b}]\n"


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("hostUsers: false\n  hostPID: true", "spec.hostPID"),
        ("hostPID: true\n  shareProcessNamespace: true", "spec.shareProcessNamespace"),
        ('overhead: {cpu: "-1"}', "spec.overhead[cpu]"),
        ("volumes: [{name: v, gcePersistentDisk: {pdName: d, partition: -1}}]", "spec.volumes[0].gcePersistentDisk.partition"),
    ],
)
def test_error_is_found_where_it_is_written(spec, path):
    (problem,) = check_text(f"{POD}  {spec}\n", kubernetes="1.33").problems
    assert (problem.path, problem.line) == (path, 7 if "\n" in spec else 6)
