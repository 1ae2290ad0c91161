"""The index of a corpus: examples, their prerequisites, the steps carried out on them, and what holds afterwards.

A corpus is a directory with ``index.json`` and the manifests it names. Times are seconds after ``t0``: the creation of
the example, the first start of a container, or a step.
"""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from simulator.engine.kernel.typed import Typed


class ExampleStep(Struct, frozen=True, kw_only=True):
    """An action on the example at ``at_s`` after ``t0``; a negative time is before the example is applied.

    Which of the other fields apply depends on ``do``: ``setting.COMMANDS`` reads them.
    """

    id: str
    at_s: float = 0
    t0: str = "created"
    do: str = ""
    name: str = ""
    pod: str = ""
    container: str = ""
    manifest: str = ""
    object: dict[str, Any] | None = None
    kind: str = ""
    sed: str | tuple[str, ...] = ()
    replicas: int = 1
    node: str = ""
    labels: dict[str, str] = {}
    command: str | tuple[str, ...] = ()
    signal: str | int = "TERM"
    resources: dict[str, dict[str, str | int | float]] | None = None
    patch: dict[str, Any] | None = None
    type: str = ""
    status: str = "True"


class Promise(Struct, frozen=True, kw_only=True):
    """A fact: ``what`` of the selected object compared by ``op`` with ``value``, at a second or in a window of seconds.

    ``mode`` is at, eventually, always or end. With ``hard`` False, a run is not wrong because of this alone.
    """

    id: str
    what: str
    op: str
    value: Any = None
    t0: str = "created"
    mode: str = "at"
    at_s: float = 0
    window: tuple[float, float] | None = None
    selector: dict[str, Any] | None = None
    hard: bool = True

    def selected(self, name: str) -> Any:
        """The value of ``name`` in the selector, or None."""
        return (self.selector or {}).get(name)


class Example(Struct, frozen=True, kw_only=True):
    """A manifest of the documentation."""

    name: str
    manifest: str
    kinds: tuple[str, ...] = ()
    min_version: str = ""
    feature_gates: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    cluster: dict[str, Any] | None = None
    steps: tuple[ExampleStep, ...] = ()
    expectations: tuple[Promise, ...] = ()


class _Prerequisite(Struct, frozen=True, kw_only=True):
    name: str
    manifest: str


class Corpus(Struct, frozen=True, kw_only=True):
    """All examples, with the cluster they run on unless they name another one."""

    examples: tuple[Example, ...]
    prerequisites: tuple[_Prerequisite, ...] = ()
    cluster_defaults: dict[str, Any] = {}
    directory: str = ""

    def text_of(self, name: str) -> str:
        """The manifest of an example or prerequisite. Raises KeyError, OSError."""
        paths = {item.name: item.manifest for item in self.examples} | {item.name: item.manifest for item in self.prerequisites}
        return (Path(self.directory) / paths[name]).read_text(encoding="utf-8")


CORPUS: Typed[Corpus] = Typed(Corpus)


def read_corpus(directory: Path) -> Corpus:
    """Read ``index.json``. Raises OSError, ValueError, msgspec.DecodeError."""
    corpus = CORPUS.from_outside((directory / "index.json").read_bytes())
    return msgspec.structs.replace(corpus, directory=str(directory))
