"""Scripts to commands."""

import json

import pytest

from simulator.engine.commands import (
    ApplyManifest,
    DeletePod,
    ExitContainer,
    HangContainer,
    OomContainer,
    SetImage,
    SetProbe,
    SignalContainer,
)
from simulator.manifests.script import read_script


def read(text, **options):
    return read_script(text, kubernetes="1.30", **options)


def command(verb):
    script = read(f"- at: 1\n  {verb}\n")
    assert script.problems == ()
    (step,) = script.steps
    return step.command


def problem(text):
    script = read(text)
    assert not script.ok
    return script.problems[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("delete: {kind: Pod, names: [p]}", DeletePod(target="default/p")),
        ("delete: {names: [p], gracePeriodSeconds: 5}", DeletePod(target="default/p", grace_s=5)),
        ("delete: {names: [p], gracePeriodSeconds: 0}", DeletePod(target="default/p", grace_s=1)),
        ("delete: {names: [p], now: true}", DeletePod(target="default/p", grace_s=1)),
        ("delete: {names: [p], gracePeriodSeconds: 0, force: true}", DeletePod(target="default/p", grace_s=0, force=True)),
        ("signal: {pod: p, container: c, signal: KILL}", SignalContainer(target="default/p", container="c", signal=9)),
        ("signal: {pod: p, signal: SIGTERM, from: node}", SignalContainer(target="default/p", container="", signal=15)),
        ("signal: {pod: p, container: c, signal: 3}", SignalContainer(target="default/p", container="c", signal=3)),
        ("image: {name: 'a:1', available: true}", SetImage(image="a:1", available=True)),
        ("image: {name: 'a:1', available: false, pull: 6s}", SetImage(image="a:1", available=False, pull_ms=6000)),
        ("exit: {pod: p, container: c, code: 3}", ExitContainer(target="default/p", container="c", exit_code=3)),
        ("oom: {pod: p, container: c}", OomContainer(target="default/p", container="c")),
        ("hang: {pod: p, container: c, hang: false}", HangContainer(target="default/p", container="c", hang=False)),
        (
            "probe: {pod: p, container: c, probe: liveness, outcome: failure, attempts: 3}",
            SetProbe(target="default/p", container="c", probe="liveness", outcome="failure", attempts=3),
        ),
    ],
)
def test_verb_becomes_its_command(text, expected):
    assert command(text) == expected


def test_delete_of_several_names_becomes_several_commands():
    script = read("- at: 7.8\n  delete: {kind: Pod, names: [a, b]}\n", namespace="team")
    assert [(step.at_ms, step.command.target) for step in script.steps] == [(7800, "team/a"), (7800, "team/b")]


def test_delete_with_grace_zero_is_forced_when_sent_to_the_api_server():
    script = read("- at: 1\n  delete: {names: [p], gracePeriodSeconds: 0}\n  answer: {code: 200}\n")
    assert script.steps[0].command == DeletePod(target="default/p", grace_s=0, force=True)


def test_apply_carries_checked_documents():
    applied = command("apply: |\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: v}}")
    assert isinstance(applied, ApplyManifest)
    assert json.loads(applied.documents[0])["data"] == {"k": "v"}


def test_apply_reports_the_line_of_its_manifest():
    text = (
        "- at: 1\n  apply: |\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: A_}\n    spec: {containers: [{name: a, image: b}]}\n"
    )
    found = problem(text)
    assert (found.line, found.path) == (5, "metadata.name")


def test_steps_are_ordered_by_time():
    script = read("- {at: 5, delete: {names: [b]}}\n- {at: 1, delete: {names: [a]}}\n")
    assert [step.at_ms for step in script.steps] == [1000, 5000]


def test_answers_are_ignored():
    assert read("- at: 1\n  delete: {names: [p]}\n  answer: {out: anything}\n").ok


def test_unsupported_verb_names_its_step_and_line():
    found = problem("- at: 1\n  delete: {names: [p]}\n- at: 2\n  drain: {node: n}\n")
    assert (found.message, found.line) == ('step 2: the verb "drain" is not supported', 4)


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "- 5",
        "- {at: x, delete: {names: [p]}}",
        "- {at: -1, delete: {names: [p]}}",
        "- {at: true, delete: {names: [p]}}",
        "- {at: 1}",
        "- {at: 1, delete: {names: [p]}, image: {name: a}}",
        "- {at: 1, delete: {}}",
        "- {at: 1, delete: {names: []}}",
        "- {at: 1, delete: {names: [5]}}",
        "- {at: 1, delete: {names: [p], all: true}}",
        "- {at: 1, delete: {kind: Namespace, names: [p]}}",
        "- {at: 1, delete: {names: [p], gracePeriodSeconds: x}}",
        "- {at: 1, signal: {pod: p, container: c, signal: NONE}}",
        "- {at: 1, signal: {pod: p, container: c, signal: 99}}",
        "- {at: 1, exit: {pod: p, container: c, code: 256}}",
        "- {at: 1, probe: {pod: p, container: c, probe: x}}",
        "- {at: 1, image: {name: a, pull: soon}}",
        "- {at: 1, apply: {a: b}}",
        "- [",
    ],
)
def test_bad_script_is_refused_with_a_line(text):
    assert problem(text).line == 1
