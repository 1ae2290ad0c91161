"""The bench of published files: a small stand-in for each possible outcome."""

import lzma
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from simulator.bench.real import Tried, files_of, lines_about, read_real, try_file

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: nginx:1.27}]}\n"
JOB = POD.replace("web", "done").replace("spec: {", "spec: {restartPolicy: Never, ").replace("nginx:1.27", "busybox, command: ['true']")
LACKING = POD.replace("web", "lacks").replace("nginx:1.27}", "nginx:1.27, envFrom: [{secretRef: {name: none}}]}")
FAILING = POD.replace("web", "fails").replace("nginx:1.27}", "busybox, command: [sh, -c, exit 3]}")
GONE = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n"


def tried(*documents: str) -> Tried:
    return try_file("some.yaml", "---\n".join(documents))


def test_pods_that_run_and_pods_that_are_done_are_ready():
    found = tried(POD, JOB)
    assert (found.accepted, found.pods, found.ready, found.lacking, found.waiting) == (True, 2, 2, 0, ())


def test_pod_that_lacks_what_its_file_does_not_bring_cannot_be_ready():
    found = tried(POD, LACKING)
    assert (found.pods, found.ready, found.lacking) == (2, 1, 1)
    assert found.waiting == ('lacks: CreateContainerConfigError, Failed: Error: secret "none" not found',)


def test_pod_that_fails_is_reported_with_its_last_warning():
    found = tried(FAILING)
    assert (found.ready, found.lacking) == (0, 0)
    assert found.waiting[0].startswith("fails: CrashLoopBackOff, BackOff: Back-off restarting failed container")


def test_what_is_left_out_is_reported_and_the_rest_tried():
    found = tried(POD, GONE, ROLE, ROLE)
    assert (found.accepted, found.objects, found.ready) == (True, 1, 1)
    assert found.refusals == ('line 7: no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"',)
    assert found.notes == ('kind "Role" is not simulated: the object is ignored (×2)',)


def test_file_with_an_error_is_refused_and_not_run():
    found = tried(POD.replace("image:", "imaeg:"))
    assert (found.accepted, found.pods) == (False, 0)
    assert found.refusals and "REFUSED" in next(iter(lines_about(found)))


def test_packed_files_are_read(tmp_path: Path):
    (tmp_path / "a.yaml.xz").write_bytes(lzma.compress(POD.encode()))
    (tmp_path / "b.yml").write_text(POD)
    (tmp_path / "c.txt").write_text("no manifest")
    assert [(path.name, read_real(path)) for path in files_of(tmp_path)] == [("a.yaml.xz", POD), ("b.yml", POD)]


def test_bench_prints_a_line_for_each_file_of_the_folder(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(f"{POD}---\n{LACKING}")
    out = StringIO()
    call_command("bench", "real", folder=tmp_path, stdout=out)
    first, *rest = out.getvalue().splitlines()
    assert "a.yaml" in first and "accepted, 2 objects" in first and "1 of 1 pods Ready that can be, 1 cannot; 0 notes" in first
    assert len(rest) == 1


def test_bench_of_real_files_wants_a_folder():
    with pytest.raises(CommandError, match="--folder"):
        call_command("bench", "real", stdout=StringIO())
