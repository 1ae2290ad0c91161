"""A manifest's problems as an editor needs them: spans in UTF-16 code units, three severities, and edits that fix them.

Three sources are combined here: the check of the text (errors and warnings), changes to existing objects that the run's
API server would refuse, and what is our own: advice (warnings) and notes on defaults, fields without effect and
presumed behaviour (info). The last two are only produced for documents whose values have the types of their schema.

Everything inside works in characters of the whole text; only the result is converted to UTF-16 code units, because that
is how browsers count. A mark never extends beyond its first line: underlining a whole block would hide where the
problem is.

The number of diagnostics is limited per severity, so that a hundred notes cannot crowd out an error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.admission.cluster import EMPTY, Cluster
from simulator.engine.apiserver.wire.catalog import minor_in
from simulator.engine.model.manifest import without_nulls
from simulator.engine.versions.release import Release, release_of
from simulator.manifests.check.check import Checked, Document, Names, check_text, placed
from simulator.manifests.check.decodable import UNDECODABLE
from simulator.manifests.check.filled import default_findings, unused_findings
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.gathered import weightiest
from simulator.manifests.documentation import docs_link
from simulator.manifests.editor.advice import ObjectPlace, advise, pod_place
from simulator.manifests.editor.fixes import Fix, Page, fixes_for
from simulator.manifests.editor.fixes.syntax import syntax_fixes
from simulator.manifests.editor.offsets import Offsets
from simulator.manifests.editor.presumed import presumed_findings
from simulator.manifests.problems import ERROR, INFO, PROBLEMS_MAX, WARNING, Problem, sorted_problems

FIXES_MAX = 5
WORDS_MAX = 2000
"""The most characters of a message: the official messages quote values, and a value may be as long as the text."""
TITLE_MAX = 200
UNREADABLE = frozenset({"yaml", "control-character", "encoding", "too-large"})
"""Codes of problems that kept a document from being read."""
SEVERITIES = (ERROR, WARNING, INFO)


class Edit(Struct, frozen=True, kw_only=True, rename={"start": "from", "end": "to"}):
    """Replace the UTF-16 code units ``start`` … ``end`` (exclusive) with ``insert``."""

    start: int
    end: int
    insert: str


class QuickFix(Struct, frozen=True, kw_only=True):
    """A fix: edits that do not overlap, all relative to the checked text."""

    title: str
    edits: tuple[Edit, ...]


class FilledIn(Struct, frozen=True, kw_only=True):
    """A value that the server fills in."""

    path: str
    value: Any


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
    defaults: tuple[FilledIn, ...]
    quickfix: tuple[QuickFix, ...]


class Outline(Struct, frozen=True, kw_only=True, rename={"start": "from", "end": "to"}):
    """One object of the text and its position. ``exists``: the run already has an object of that name."""

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


class TextReport(Struct, frozen=True, kw_only=True):
    """What an editor shows about a text."""

    kubernetes: str
    ok: bool
    counts: dict[str, int]
    diagnostics: tuple[Diagnostic, ...]
    documents: tuple[Outline, ...]


class TextSurroundings(Struct, frozen=True, kw_only=True):
    """The cluster a text is meant for: the names of everything in it, objects that advice looks at, and changes that would be refused.

    ``admission`` is what the API server looks up for new objects. ``around`` and ``changes`` are only called for a
    report, so that an accepted text does not pay for them.
    """

    known: Names = frozenset()
    around: Callable[[], tuple[ObjectPlace, ...]] = tuple
    changes: Callable[[Checked], Iterable[tuple[int, Finding]]] = lambda checked: ()
    admission: Cluster = EMPTY


NOWHERE = TextSurroundings()


def diagnose(
    text: str,
    *,
    kubernetes: str,
    namespace: str = "default",
    cluster: TextSurroundings = NOWHERE,
    gates: Mapping[str, bool] | None = None,
) -> TextReport:
    """Check ``text`` (line breaks are ``\\n``) and return what is found, with positions.

    ``gates`` differ from the version's defaults. Never raises because of anything in the text; ValueError for an
    invalid version. Cost: about 30 µs a line.
    """
    checked = check_text(text, kubernetes=kubernetes, namespace=namespace, known=cluster.known, gates=gates, cluster=cluster.admission)
    return report_of(text, checked, kubernetes=kubernetes, cluster=cluster, gates=gates)


def report_of(
    text: str,
    checked: Checked,
    *,
    kubernetes: str,
    cluster: TextSurroundings = NOWHERE,
    gates: Mapping[str, bool] | None = None,
) -> TextReport:
    """What an editor shows about a text already ``checked`` against the same version, gates and cluster; the text is not read again."""
    minor = minor_in(kubernetes)
    offsets = Offsets(text)
    advised = [*cluster.changes(checked), *_advised(checked, minor, cluster), *_informed(checked, release_of(minor, gates))]
    problems = [*checked.problems, *(placed(checked.raws[index], finding) for index, finding in advised)]
    pages = [Page(text, raw, minor=minor) for raw in checked.raws]
    found = tuple(_diagnostic(problem, offsets, _fixes(problem, pages, text, offsets)) for problem in _limited(problems))
    counts = {severity: sum(item.severity == severity for item in found) for severity in SEVERITIES}
    documents = tuple(_outline(document, offsets, cluster.known) for document in checked.documents)
    return TextReport(
        kubernetes=kubernetes,
        ok=not counts[ERROR],
        counts=counts,
        diagnostics=found,
        documents=documents,
    )


def _advised(checked: Checked, minor: int, cluster: TextSurroundings) -> Iterator[tuple[int, Finding]]:
    places = _places(checked)
    return advise(places, minor=minor, known=cluster.known, around=cluster.around())


def _places(checked: Checked) -> list[ObjectPlace]:
    return [
        ObjectPlace(document=item.index, kind=item.kind, namespace=item.namespace, value=without_nulls(item.doc))
        for item in _sound(checked)
    ]


def _informed(checked: Checked, release: Release) -> Iterator[tuple[int, Finding]]:
    for item in _sound(checked):
        for finding in (*default_findings(item.doc, release=release), *unused_findings(item.doc, minor=release.minor)):
            yield item.index, finding
    for place in _places(checked):
        pod = pod_place(place)
        for finding in presumed_findings(pod) if pod is not None else ():
            yield place.document, finding


def _sound(checked: Checked) -> list[Document]:
    """The documents whose values have the types of the schema."""
    broken = {problem.document for problem in checked.problems if problem.severity == ERROR and problem.code in UNDECODABLE}
    return [item for item in checked.documents if item.index not in broken and not _has_empty_item(item.doc)]


def _has_empty_item(value: Any) -> bool:
    """Whether any list has an item without a value, as when a dash has just been typed."""
    if isinstance(value, dict):
        return any(_has_empty_item(item) for item in value.values())
    return isinstance(value, list) and any(item is None or _has_empty_item(item) for item in value)


def _limited(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """At most PROBLEMS_MAX of each severity, the most important ones, in the order of the text."""
    found = dict.fromkeys(problems)
    of_severity = ([item for item in found if item.severity == severity] for severity in SEVERITIES)
    kept = [problem for items in of_severity for problem in weightiest(items, PROBLEMS_MAX)]
    return sorted_problems(kept, limit=len(kept))


def _fixes(problem: Problem, pages: Sequence[Page], text: str, offsets: Offsets) -> tuple[QuickFix, ...]:
    found: list[Fix] = list(syntax_fixes(problem, text, offsets))
    # A document that could not be read has no nodes to place an edit at.
    if problem.document < len(pages) and problem.code not in UNREADABLE:
        found += fixes_for(problem, pages[problem.document])
    return tuple(_quick_fix(item, offsets) for item in found[:FIXES_MAX])


def _quick_fix(item: Fix, offsets: Offsets) -> QuickFix:
    edits = (Edit(start=offsets.at(change.start), end=offsets.at(change.end), insert=change.insert) for change in item.changes)
    return QuickFix(title=_shortened(item.title, TITLE_MAX), edits=tuple(edits))


def _diagnostic(problem: Problem, offsets: Offsets, fixes: tuple[QuickFix, ...]) -> Diagnostic:
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
        message=_shortened(problem.message, WORDS_MAX),
        why=problem.why,
        doc=docs_link(problem.doc),
        hint=_shortened(problem.hint, WORDS_MAX),
        document=problem.document,
        defaults=tuple(FilledIn(path=path, value=value) for path, value in problem.filled),
        quickfix=fixes,
    )


def _shortened(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else f"{text[: chars_max - 1]}…"


def _span(problem: Problem, offsets: Offsets) -> tuple[int, int]:
    """The characters to mark: at most the first line of what the problem is about, and never an empty span on a line with text."""
    start = problem.start if problem.start >= 0 else offsets.index(problem.line, problem.column)
    first, line_end = offsets.line_bounds(offsets.place(start)[0])
    end = min(problem.end, line_end) if problem.end >= 0 else line_end
    if end > start:
        return start, end
    return (start, line_end) if line_end > start else (first, line_end)


def _outline(document: Document, offsets: Offsets, known: Names) -> Outline:
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
