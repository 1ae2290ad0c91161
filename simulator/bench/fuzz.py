"""Fuzzing of a manifest's whole path: check, creation, printing. One property, for the tests and for ``manage.py bench fuzz``.

Nothing raises, every rejection names a path, and an accepted object comes back as the same object.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from simulator import scenarios
from simulator.bench.documents import mutations, schema_documents
from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, RunHeader, World, apply, new_world
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.versions.usual import ERAS
from simulator.kubectl.pods import describe
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.check.check import check_text
from simulator.manifests.problems import ERROR
from simulator.manifests.read.loader import load

VERSIONS = tuple(sorted({*ERAS, "1.25", "1.29"}))
_NAMELESS = ("empty", "yaml", "kind", "not-an-object")
_CLUSTER = ClusterSpec(nodes=(NodeSpec(name="node1"),), images=(ImageSpec(name="busybox:1.36", present=True),), unlisted_images="pullable")


class Tally(Struct):
    """Counts of a fuzzing run."""

    documents: int = 0
    accepted: int = 0
    took_s: float = 0.0


def examine(document: Any, kubernetes: str, tally: Tally | None = None) -> None:
    """Take one document through the whole path. Raises AssertionError if the property does not hold."""
    checked = check_text(json.dumps(document), kubernetes=kubernetes, strict=False)
    for problem in checked.problems:
        named = problem.path or problem.code in _NAMELESS or not isinstance(document, dict)
        assert problem.message, problem
        assert problem.line >= 1, problem
        assert problem.severity != ERROR or named, problem
    if tally is not None:
        tally.documents += 1
        tally.accepted += checked.ok
    if checked.ok and checked.documents:
        _round_trip(tuple(item.json for item in checked.documents), kubernetes)


def _round_trip(manifests: tuple[str, ...], kubernetes: str) -> None:
    """Create the objects; what is printed of each reads back as the same, is accepted again, and changes nothing when written back."""
    world = new_world(RunHeader(kubernetes=kubernetes, jitter=False, seed=1, cluster=_CLUSTER, manifests=manifests))
    pods = [("Pod", row.namespace, row.name) for row in world.tables.pods.values() if row.gone_ms is None]
    for key in (*pods, *world.tables.objects):
        shown = object_document(world, *key)
        printed = to_yaml(shown)
        assert yaml.safe_load(printed) == shown, printed
        again = check_text(printed, kubernetes=kubernetes, strict=False, known=frozenset({key}))
        assert again.ok, [(problem.path, problem.message) for problem in again.problems if problem.severity == ERROR]
        _put_back(world, key, shown)
    for row in list(world.tables.pods.values()):
        assert describe(world, row.key)


def _put_back(world: World, key: tuple[str, str, str], shown: dict[str, Any]) -> None:
    """A PUT of what was read is accepted and changes nothing."""
    records = apply(world, ReplaceObject(document=json.dumps(shown), namespace=key[1] or "default"))
    assert records[0].target == "accepted", records[0]
    assert object_document(world, *key) == shown, key


def fuzz(count: int, examples: Sequence[Any]) -> Tally:
    """Examine ``count`` documents, half from the schemas, half mutated ``examples``. Raises AssertionError for the first that fails."""
    tally = Tally()
    began = perf_counter()
    cases = schema_documents()
    if examples:
        cases = cases | st.tuples(st.sampled_from(VERSIONS), mutations(examples))
    plan = settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )

    @plan
    @given(cases)
    def run(case: tuple[str, Any]) -> None:
        examine(case[1], case[0], tally)

    run()
    tally.took_s = round(perf_counter() - began, 1)
    return tally


def examples_in(folder: Path) -> list[Any]:
    """Every document in the YAML files below a folder; unreadable ones are skipped."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml"))
    return [raw.value for path in files for raw in load(path.read_bytes()).documents if isinstance(raw.value, dict)]


def story_examples() -> list[Any]:
    """The manifests of the stories."""
    return examples_in(Path(scenarios.__path__[0]))
