"""Remedies: every reason that the engine can write has one, or is known to be ordinary."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.engine.acts.all_acts import ACTS
from simulator.engine.model.kinds import KINDS as KINDS_OF_OBJECTS
from simulator.remedies.catalogue import FURTHER, REMEDIES, names_known, ordinary_for, remedy_for
from simulator.remedies.words.ordinary import ORDINARY
from simulator.scenarios.reasons import KINDS, read_reasons
from simulator.web.base.remedy_rows import ACT_NAMES

ENGINE = Path(__file__).parents[2] / "simulator" / "engine"
NO_WRITERS = (
    "acts/", "containers/", "past/", "projection/", "rules/",
    "world/", "course/", "machines/", "versions/", "model/", "kernel/",
    "apiserver/validation/", "apiserver/wire/", "apiserver/defaulting/", "apiserver/godiff/", "apiserver/admission/", "apiserver/patch/",
    "apiserver/documents/", "apiserver/answer.py", "apiserver/refusal.py", "apiserver/create.py", "apiserver/list_selectors.py",
    "apiserver/managed/", "apiserver/structural/", "apiserver/store/custom.py",
    "scheduler/plugins/", "workloads/template_dump.py",
)  # fmt: skip
"""Parts of the engine that read, judge or print, and write no status, condition or Event, or only those of custom kinds."""
WRITTEN_ELSEWHERE = {"containers/docker.py": "ContainerCannotRun", "policies/printing.py": "NotReady"}
"""Words in parts where few words are reasons."""
CONDITIONS = frozenset(
    """Ready ContainersReady Initialized PodScheduled PodHasNetwork PodReadyToStartContainers DisruptionTarget PodResizePending
    PodResizeInProgress AllContainersRestarting MemoryPressure DiskPressure PIDPressure Available Progressing ReplicaFailure Complete
    FailureTarget SuccessCriteriaMet AbleToScale ScalingActive ScalingLimited""".split()  # noqa: SIM905 - a list of words reads best
)
VALUES = frozenset(
    """True False None Normal Warning Always Exists In NoExecute NoSchedule Background Foreground Orphan Delete Retain Recreate
    RollingUpdate BestEffort Burstable Guaranteed Bound Released Directory File Socket Filesystem Count Ignore FailIndex FailJob
    ExternalName Percent Pods Resource Utilization Replicas Max Min Http BinarySI RestartContainer RestartAllContainers
    ContainerAdministrator ContainerUser Lease DeleteOptions Node DynamicResourceAllocation PreventStaticPodAPIReferences Proposed
    InProgress Resize LivenessProbe StartupProbe ReplicationController
    GeneratePodInitializedCondition GenerateContainersReadyCondition GeneratePodReadyToStartContainersCondition
    GenerateAllContainersRestartingCondition GeneratePodReadyCondition""".split()  # noqa: SIM905
)
"""Values of fields, parts of names, functions of Kubernetes, and states of a resize; none of them is a reason."""
ANSWERS = frozenset({"NotFound", "NamespaceTerminating", "DisruptionBudget"})
"""Reasons of refused requests: kubectl prints the whole sentence next to them."""
PARTS = {
    "OutOf": "OutOfcpu",
    "NodeHas": "NodeHasDiskPressure",
    "OrCreate": "",
    "DaemonPod": "FailedDaemonPod",
    "Successful": "SuccessfulDelete",
}
"""Prefixes and suffixes of composed words, each with one such word; empty if no reason is composed of it."""
WORD = re.compile(r"[A-Z]+[a-z]+[A-Za-z]*")
READERS = frozenset({"gettext_noop", "get", "Watch", "condition", "startswith", "removeprefix", "State", "Literal"})
"""Functions whose arguments are looked up, not written."""


def read_only(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are compared or looked up."""
    if isinstance(node, ast.Compare):
        yield from ast.walk(node)
    elif isinstance(node, ast.Subscript):
        yield from ast.walk(node.slice)
    elif isinstance(node, ast.Dict):
        yield from (key for key in node.keys if key is not None)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in READERS:
        yield from node.args


def words_of(path: Path) -> set[str]:
    """The mixed-case words that a module may write."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    read = {id(part) for node in ast.walk(tree) for part in read_only(node)}
    classes = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    classes |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    found = {
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in read
    }
    # Quoted annotations name classes; a single capitalised word with a full stop is a sentence.
    return {word for word in found if WORD.fullmatch(word)} - classes


def reasons_of_engine() -> dict[str, str]:
    """Every word that the engine may write as a reason, with a module that does. A new word is found because it occurs in the code."""
    found: dict[str, str] = {}
    for path in sorted(ENGINE.rglob("*.py")):
        name = path.relative_to(ENGINE).as_posix()
        if path.name != "__init__.py" and not name.startswith(NO_WRITERS):
            found.update(dict.fromkeys(words_of(path), name))
    for path in sorted((ENGINE / "data").glob("*.toml")):
        for setting, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if setting.endswith("_reason"):
                found.update(
                    dict.fromkeys((item["value"] for item in table.get("values", ()) if WORD.fullmatch(str(item["value"]))), path.name)
                )
    found.update((word, name) for name, word in WRITTEN_ELSEWHERE.items())
    no_reasons = CONDITIONS | VALUES | ANSWERS | set(KINDS_OF_OBJECTS) | set(PARTS)
    return {word: name for word, name in found.items() if word not in no_reasons}


def is_known(word: str) -> bool:
    return any(name == word or name.split("/")[1:2] == [word] for name in names_known())


def test_every_reason_of_the_engine_has_a_remedy_or_is_ordinary():
    written = reasons_of_engine()
    assert len(written) > 150
    assert {word: name for word, name in written.items() if not is_known(word)} == {}


def test_every_word_that_the_stories_show_has_a_remedy_or_is_ordinary():
    bare = {(r.kind, r.word, r.of) for r in read_reasons() if not (remedy_for(r.kind, r.word, r.of) or ordinary_for(r.kind, r.word, r.of))}
    assert bare == set()


@pytest.mark.parametrize("whole", [word for word in PARTS.values() if word])
def test_words_that_are_put_together_are_known(whole):
    assert is_known(whole)


@pytest.mark.parametrize("word", sorted(CONDITIONS | VALUES | ANSWERS))
def test_what_is_left_out_is_no_word_with_a_remedy(word):
    assert not is_known(word)


def test_no_word_is_explained_twice():
    names = [name for remedy in REMEDIES for name in remedy.names] + [word for _, words in ORDINARY for word in words]
    assert sorted(names) == sorted(set(names))


def test_no_two_remedies_have_the_same_anchor():
    anchors = [remedy.anchor for remedy in REMEDIES]
    assert sorted(anchors) == sorted(set(anchors))


def test_acts_exist_and_have_names():
    tags = {step.act for remedy in REMEDIES for step in remedy.steps if step.act}
    assert tags - {act.do for act in ACTS} == set()
    assert tags - set(ACT_NAMES) == set()


def test_every_cause_leads_to_a_step():
    assert [remedy.names[0] for remedy in REMEDIES for cause in remedy.causes if cause.step >= len(remedy.steps)] == []


def test_signs_are_patterns():
    for remedy in REMEDIES:
        for cause in remedy.causes:
            re.compile(cause.sign)


@pytest.mark.parametrize("kind", FURTHER)
def test_words_without_a_story_have_remedies(kind):
    assert kind in KINDS
    assert [word for word in FURTHER[kind] if remedy_for(kind, word) is None] == []


@pytest.mark.parametrize(
    ("kind", "word", "of", "first"),
    [
        ("event", "BackOff", "Warning", "CrashLoopBackOff"),
        ("event", "BackOff", "Normal", "ErrImagePull"),
        ("status", "Init:CrashLoopBackOff", "", "CrashLoopBackOff"),
        ("status", "Init:2/3", "", "PodInitializing"),
        ("status", "Init:ExitCode:7", "", "status/Error"),
        ("pod", "OutOfnvidia.com/gpu", "", "OutOfcpu"),
    ],
)
def test_a_word_is_found_in_every_spelling(kind, word, of, first):
    found = remedy_for(kind, word, of)
    assert found is not None
    assert found.names[0] == first


def test_same_word_in_another_place_means_something_else():
    assert remedy_for("event", "Completed", "Normal") is None
    assert ordinary_for("event", "Completed", "Normal")
    assert remedy_for("terminated", "Completed") is not None
