"""Findings as sent to an editor."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simulator.engine.versions.usual import ERAS
from simulator.manifests.editor.diagnostics import TextReport, TextSurroundings, diagnose
from simulator.manifests.editor.offsets import Offsets

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: app
    image: nginx:1.27
    command: [sh, -c, "while true; do sleep 1; done"]
    env: [{name: A, value: "1"}, {name: A, value: "2"}]
    ports:
    - {containerPort: 80, name: http, hostPort: 80}
    lifecycle: {preStop: {exec: {command: [sleep, "40"]}}}
    volumeMounts:
    - name: dta
      mountPath: /a
  volumes:
  - name: data
    emptyDir:
      medium: Memory
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80, targetPort: http}]
"""
SCRAPS = st.sampled_from(
    ["", " ", "\t", "\n", ": ", "- ", "[", "]", "{", "}", "'", '"', "#", "*a", "&a ", "<<: ", "|\n", "~", "🐳", "1", "true", "---\n", "\r"]
)
VERSIONS = st.sampled_from(ERAS)


def check_shape(report: TextReport, text: str) -> None:
    units = len(text.encode("utf-16-le")) // 2
    for item in report.diagnostics:
        assert 0 <= item.start <= item.end <= units and 1 <= item.line <= text.count("\n") + 1 and item.message
        assert item.end_line >= item.line and item.col >= 1
        for edit in (edit for fix in item.quickfix for edit in fix.edits):
            assert 0 <= edit.start <= edit.end <= units


@settings(max_examples=300, deadline=None)
@given(cut=st.integers(0, len(POD)), length=st.integers(0, 40), scrap=SCRAPS, version=VERSIONS)
def test_no_mutation_breaks_a_report(cut: int, length: int, scrap: str, version: str) -> None:
    text = POD[:cut] + scrap + POD[cut + length :]
    check_shape(diagnose(text, kubernetes=version), text)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60))
def test_no_text_breaks_a_report(text: str) -> None:
    check_shape(diagnose(text, kubernetes="1.33"), text)


@settings(max_examples=150, deadline=None)
@example(cut=POD.index(', {name: A, value: "2"}'), length=0, scrap="\r")
@example(cut=POD.index(', {name: A, value: "2"}'), length=0, scrap="\u2028")
@example(cut=POD.index(', {name: A, value: "2"}'), length=0, scrap=" # the first\n      ")
@given(cut=st.integers(0, len(POD)), length=st.integers(0, 12), scrap=SCRAPS)
def test_no_fix_makes_a_readable_text_unreadable(cut: int, length: int, scrap: str) -> None:
    text = POD[:cut] + scrap + POD[cut + length :]
    before = diagnose(text, kubernetes="1.33")
    if any(item.code in ("yaml", "duplicate-key", "control-character") for item in before.diagnostics):
        return
    for fix in (fix for item in before.diagnostics for fix in item.quickfix):
        units = text.encode("utf-16-le")
        for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
            units = units[: edit.start * 2] + edit.insert.encode("utf-16-le") + units[edit.end * 2 :]
        after = diagnose(units.decode("utf-16-le"), kubernetes="1.33")
        assert not any(item.code == "yaml" for item in after.diagnostics), (fix, units.decode("utf-16-le"))


def test_report_sorts_findings_by_place() -> None:
    places = [item.start for item in diagnose(POD, kubernetes="1.33").diagnostics]

    assert places == sorted(places)


def test_report_outlines_documents() -> None:
    first, second = diagnose(POD, kubernetes="1.33").documents

    assert (first.kind, first.line, second.kind) == ("Pod", 1, "Service")
    assert POD[second.start :].startswith("apiVersion: v1\nkind: Service")


def test_report_knows_what_exists() -> None:
    known = frozenset({("Service", "default", "web")})

    assert [item.exists for item in diagnose(POD, kubernetes="1.33", cluster=TextSurroundings(known=known)).documents] == [False, True]


def test_report_names_defaults_by_path() -> None:
    found = {entry.path: entry.value for item in diagnose(POD, kubernetes="1.33").diagnostics for entry in item.defaults}

    assert found["spec.restartPolicy"] == "Always" and found["spec.containers[0].ports[0].protocol"] == "TCP"


def test_report_names_defaults_of_parts_that_are_not_there_by_path() -> None:
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n"
        "  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: app, image: nginx}]}}\n"
    )
    found = {entry.path for item in diagnose(text, kubernetes="1.33").diagnostics for entry in item.defaults}

    assert {"spec.strategy.type", "spec.strategy.rollingUpdate.maxSurge"} <= found


def test_report_names_fields_without_effect() -> None:
    text = POD.replace("spec:\n  containers:", "spec:\n  imagePullSecrets: []\n  containers:", 1)
    found = next(item for item in diagnose(text, kubernetes="1.33").diagnostics if item.code == "not-modelled")

    assert (found.path, found.severity, text[found.start : found.end]) == ("spec.imagePullSecrets", "info", "imagePullSecrets")


def test_report_marks_the_key_when_value_is_empty() -> None:
    text = POD.replace("    image: nginx:1.27", "    image:")
    found = next(item for item in diagnose(text, kubernetes="1.33").diagnostics if item.path == "spec.containers[0].image")

    assert text[found.start : found.end] in ("image", "name: app")


def test_report_refuses_a_version_that_is_none() -> None:
    with pytest.raises(ValueError):
        diagnose(POD, kubernetes="new")


def test_offsets_count_surrogates_twice() -> None:
    offsets = Offsets("a🐳b\nc")

    assert [offsets.at(index) for index in range(6)] == [0, 1, 3, 4, 5, 6]


def test_offsets_bring_places_inside() -> None:
    offsets = Offsets("ab\nc")

    assert offsets.index(1, 99) == 2 and offsets.index(9, 1) == 3 and offsets.place(99) == (2, 2)


def test_offsets_of_an_empty_text() -> None:
    offsets = Offsets("")

    assert (offsets.at(5), offsets.index(3, 3), offsets.place(0)) == (0, 0, (1, 1))


@pytest.mark.parametrize(
    ("old", "new", "code", "marked"),
    [
        ("nginx:1.27", "nginx", "image-latest", "nginx"),
        ("image: nginx:1.27", "imaeg: nginx:1.27", "unknown-field", "imaeg"),
        ("containerPort: 80", "containerPort: '80'", "wrong-type", "'80'"),
        ("kind: Pod", "kind: Pods", "unknown-kind", "Pods"),
        ("spec:\n", "spec:\n  a: b\n  a: c\n", "duplicate-key", "a: c"),
        ("spec:\n", "spec:\n  a b\n", "yaml", ":"),
    ],
)
def test_finding_marks_what_it_is_about(old: str, new: str, code: str, marked: str) -> None:
    text = POD.replace(old, new, 1)
    found = next(item for item in diagnose(text, kubernetes="1.33").diagnostics if item.code == code)
    assert text[found.start : found.end] == marked
    assert (found.line, found.col) == (text.count("\n", 0, found.start) + 1, found.start - text.rfind("\n", 0, found.start))
