"""Texts of many megabytes: schemas of CustomResourceDefinitions are skipped, and the limits count what is kept."""

import pytest
from msgspec.structs import replace

from simulator.manifests.check.check import check_text
from simulator.manifests.read import nodes
from simulator.manifests.read.loader import Loaded, load, without_passed
from simulator.manifests.read.nodes import MANIFEST_LIMITS, ReadLimits, YamlNode

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: nginx:1.27}]}\n"
HEAD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n"


def field(number: int) -> str:
    return f"            f{number}:\n              description: 'the number {number}: [a, {{b}}]'\n              type: string\n"


def definition(fields: int, *, key: str = "versions") -> str:
    schema = "".join(field(number) for number in range(fields))
    rest = f"  {key}:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          spec:\n{schema}"
    return f"{HEAD}spec:\n  group: example.com\n  names: {{kind: Foo, plural: foos}}\n{rest}  scope: Namespaced\n"


def read(*documents: str, limits: ReadLimits = MANIFEST_LIMITS) -> Loaded:
    return load("---\n".join(documents), limits=limits)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[YamlNode]:
    """Every node that is built."""
    found: list[YamlNode] = []

    class Counted(YamlNode):
        def __init__(self, **given: object) -> None:
            super().__init__(**given)  # type: ignore[arg-type]
            found.append(self)

    monkeypatch.setattr(nodes, "YamlNode", Counted)
    return found


@pytest.mark.parametrize("key", ["versions", "validation"])
def test_nothing_is_built_of_schemas(built: list[YamlNode], key: str):
    read(definition(10, key=key))
    few = len(built)
    read(definition(500, key=key))
    assert len(built) == 2 * few


def test_nothing_is_built_of_schemas_in_a_list(built: list[YamlNode]):
    listed = "\n  ".join(definition(500).splitlines())
    loaded = read(f"apiVersion: v1\nkind: List\nitems:\n- {listed}\n")
    assert loaded.documents[0].value["spec"]["names"]["kind"] == "Foo"
    assert len(built) < 40


def test_lines_and_characters_behind_schemas_are_exact():
    text = definition(50) + "---\n" + POD.replace("kind: Pod", "kind: Pood")
    problem = next(item for item in check_text(text, kubernetes="1.33").problems if item.code == "unknown-kind")
    assert text[problem.start : problem.end] == "Pood"
    assert problem.line == text[: problem.start].count("\n") + 1


def test_what_was_passed_over_is_told_by_its_characters():
    text = definition(3)
    ((start, end),) = read(text).passed
    assert text[start:end].startswith("- name: v1\n") and text[end:].strip() == "scope: Namespaced"


def test_schemas_do_not_count_against_what_is_kept():
    limits = replace(MANIFEST_LIMITS, kept_max=2_000)
    assert not read(definition(1_000), POD, limits=limits).problems
    (problem,) = read(definition(1_000), *[POD] * 30, limits=limits).problems
    assert problem.code == "too-large"


def test_values_are_counted_over_all_documents():
    limits = replace(MANIFEST_LIMITS, all_nodes_max=200)
    loaded = read(*[POD] * 100, limits=limits)
    assert [problem.code for problem in loaded.problems] == ["too-many-values"]
    assert len(loaded.documents) < 20


def test_values_that_are_passed_over_have_a_limit_of_their_own():
    (problem,) = read(definition(1_000), limits=replace(MANIFEST_LIMITS, passed_max=500)).problems
    assert (problem.code, problem.line < 300) == ("too-many-values", True)
    assert problem.message == "the CustomResourceDefinition schemas in the manifest contain more than 500 values"


def test_schemas_may_not_nest_without_end():
    deep = f"{HEAD}spec: {{versions: {'[' * 70}{']' * 70}}}\n"
    (problem,) = read(deep).problems
    assert problem.code == "too-deep"


def test_broken_schema_is_reported_with_its_line():
    text = definition(5).replace("              type: string\n", "              type: 'string\n", 1)
    assert [problem.code for problem in read(text).problems] == ["yaml"]


def test_other_kinds_with_versions_are_read():
    assert read(POD + "  versions: [a]\n".replace("  ", "", 1)).documents[0].value["versions"] == ["a"]
    other = definition(2).replace("CustomResourceDefinition", "ConfigMap")
    assert read(other).documents[0].value["spec"]["versions"][0]["name"] == "v1"


FLOW = f"{HEAD}spec: {{group: example.com, versions: [{{name: v1}}], scope: Namespaced}}\n"


@pytest.mark.parametrize("text", [definition(3), definition(3, key="validation"), FLOW, definition(3).replace("  scope: Namespaced\n", "")])
def test_text_without_schemas_holds_the_same_objects(text: str):
    whole = f"{text}---\n{POD}---\n{text}"
    kept = without_passed(whole, read(whole).passed)
    found, again = read(whole), read(kept)
    assert not again.problems
    assert [(raw.value["kind"], raw.value["metadata"]) for raw in again.documents] == [
        (raw.value["kind"], raw.value["metadata"]) for raw in found.documents
    ]
    assert "description" not in kept and "name: v1" not in kept
