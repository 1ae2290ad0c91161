"""Report what a headless run could not do, with the line of the manifest that asked for it.

The engine notes what it cannot simulate as it runs, but knows nothing of files; the line in the manifest is found here.
"""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from simulator.engine import Record
from simulator.engine.containers.process.turn import SHORTCOMINGS
from simulator.headless.inputs import Report, Written
from simulator.manifests.check.check import placed
from simulator.manifests.check.filled import unused_findings
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import INFO


def report_unused(written: Iterable[Written], report: Report, *, minor: int) -> None:
    """Report kinds that nothing acts on and fields that have no effect."""
    for item in written:
        for finding in unused_findings(item.document.doc, minor=minor):
            report(item.file, placed(item.raw, finding))


def report_noted(records: Iterable[Record], written: Iterable[Written], report: Report) -> list[str]:
    """Report each note about a container once. Returns the notes that belong to no manifest: pods from scripts and imports."""
    places = {place: (item, path) for item in written for place, path in _containers(item)}
    unplaced: list[str] = []
    for subject, text in dict.fromkeys((record.subject, str(record.get("text"))) for record in records if _is_shortcoming(record)):
        found = places.get(subject)
        if found is None:
            unplaced.append(f"{subject}: {text}")
            continue
        item, path = found
        message = _("container %(container)s: %(text)s") % {"container": subject.rpartition("/")[2], "text": text}
        finding = Finding(path=f"{path}.command", message=message, code="noted", severity=INFO)
        report(item.file, placed(item.raw, finding))
    return unplaced


def _is_shortcoming(record: Record) -> bool:
    return record.machine == "note" and record.target in SHORTCOMINGS


def _containers(item: Written) -> Iterator[tuple[str, str]]:
    """The containers of a pod as record subjects, each with its path in the document."""
    if item.document.kind != "Pod":
        return
    for place in ("initContainers", "containers"):
        for index, container in enumerate(item.document.doc["spec"].get(place) or ()):
            yield f"container/{item.document.namespace}/{item.document.name}/{container['name']}", f"spec.{place}[{index}]"
