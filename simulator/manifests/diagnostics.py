"""A manifest's problems as an editor wants them: spans in UTF-16 code units, three severities, edits that repair."""

from msgspec import Struct

from simulator.manifests.check import Document, check_text
from simulator.manifests.offsets import Offsets
from simulator.manifests.problems import ERROR, INFO, WARNING, Problem

DOCS = "https://kubernetes.io/docs/"


class Edit(Struct, frozen=True, kw_only=True, rename={"start": "from", "end": "to"}):
    """Replace the UTF-16 code units ``start`` … ``end`` (exclusive) by ``insert``."""

    start: int
    end: int
    insert: str


class QuickFix(Struct, frozen=True, kw_only=True):
    """A repair: edits that do not overlap, all against the text that was checked."""

    title: str
    edits: tuple[Edit, ...]


class Diagnostic(Struct, frozen=True, kw_only=True, rename={"start": "from", "end": "to"}):
    """A problem with its span; ``line``, ``col`` … count from 1. ``doc`` is a link or empty."""

    start: int
    end: int
    line: int
    col: int
    end_line: int
    end_col: int
    severity: str
    code: str
    path: str
    message: str
    why: str
    doc: str
    hint: str
    document: int
    quickfix: tuple[QuickFix, ...]


class Outline(Struct, frozen=True, kw_only=True, rename={"start": "from", "end": "to"}):
    """One object of the text and where it stands. ``exists``: an object of that name is in the run."""

    index: int
    api_version: str
    kind: str
    namespace: str
    name: str
    line: int
    end_line: int
    start: int
    end: int
    exists: bool


class Report(Struct, frozen=True, kw_only=True):
    """What an editor shows about a text."""

    kubernetes: str
    ok: bool
    counts: dict[str, int]
    diagnostics: tuple[Diagnostic, ...]
    documents: tuple[Outline, ...]


def diagnose(text: str, *, kubernetes: str, namespace: str = "default", known: frozenset[tuple[str, str, str]] = frozenset()) -> Report:
    """Check ``text`` (line breaks are ``\\n``) and place what is found. ``known``: kind, namespace and name of objects that exist.

    Never raises for anything the text holds; ValueError for a version that is none. Cost: about 30 µs a line.
    """
    checked = check_text(text, kubernetes=kubernetes, namespace=namespace)
    offsets = Offsets(text)
    found = tuple(_diagnostic(problem, offsets) for problem in checked.problems)
    counts = {severity: sum(item.severity == severity for item in found) for severity in (ERROR, WARNING, INFO)}
    documents = tuple(_outline(document, offsets, known) for document in checked.documents)
    return Report(kubernetes=kubernetes, ok=checked.ok, counts=counts, diagnostics=found, documents=documents)


def _diagnostic(problem: Problem, offsets: Offsets) -> Diagnostic:
    start, end = _span(problem, offsets)
    line, column = offsets.place(start)
    end_line, end_column = offsets.place(end)
    return Diagnostic(
        start=offsets.at(start),
        end=offsets.at(end),
        line=line,
        col=column,
        end_line=end_line,
        end_col=end_column,
        severity=problem.severity,
        code=problem.code,
        path=problem.path,
        message=problem.message,
        why=problem.why,
        doc=f"{DOCS}{problem.doc}" if problem.doc else "",
        hint=problem.hint,
        document=problem.document,
        quickfix=(),
    )


def _span(problem: Problem, offsets: Offsets) -> tuple[int, int]:
    """The characters to mark: never more than the first line of what the problem is about, never nothing where a line has text."""
    start = problem.start if problem.start >= 0 else offsets.index(problem.line, problem.column)
    first, line_end = offsets.line_bounds(offsets.place(start)[0])
    end = min(problem.end, line_end) if problem.end >= 0 else line_end
    if end > start:
        return start, end
    return (start, line_end) if line_end > start else (first, line_end)


def _outline(document: Document, offsets: Offsets, known: frozenset[tuple[str, str, str]]) -> Outline:
    end = max(document.end, document.start)
    return Outline(
        index=document.index,
        api_version=document.api_version,
        kind=document.kind,
        namespace=document.namespace,
        name=document.name,
        line=offsets.place(document.start)[0],
        end_line=offsets.place(end)[0],
        start=offsets.at(document.start),
        end=offsets.at(end),
        exists=(document.kind, document.namespace, document.name) in known,
    )
