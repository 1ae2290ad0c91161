"""A text to be applied to a run, checked once: the act, the preview and their reports all use the same verdict.

The run's store checks the accepted documents again when the act is carried out. That check is a different one: it happens in another
process, at a later moment when objects may have been added or removed, on a stored command that may also come from a file, and it is part
of the history that every replay repeats.
"""

from dataclasses import dataclass

from simulator.engine.world.world import World
from simulator.manifests.check.check import Checked, check_text
from simulator.manifests.editor.diagnostics import TextReport, TextSurroundings, report_of
from simulator.manifests.editor.preview import surroundings_of


@dataclass(frozen=True)
class AppliedText:
    """A text with its verdict at a moment of a run."""

    text: str
    world: World
    cluster: TextSurroundings
    checked: Checked

    @property
    def is_accepted(self) -> bool:
        """Whether there is something to apply, without errors."""
        return self.checked.ok and bool(self.checked.documents)

    def report(self) -> TextReport:
        """All findings with their places, including advice. Changes to existing objects are tried on forks of the world."""
        header = self.world.header
        return report_of(self.text, self.checked, kubernetes=header.kubernetes, cluster=self.cluster, gates=header.gates)


def judged(text: str, world: World, *, namespace: str = "") -> AppliedText:
    """Check a text as the API server of the world would. About 10 µs per line, plus O(objects).

    ``namespace`` is that of objects that name none; empty: the run's own.
    """
    header, cluster = world.header, surroundings_of(world)
    checked = check_text(
        text,
        kubernetes=header.kubernetes,
        namespace=namespace or header.namespace,
        known=cluster.known,
        gates=header.gates,
        cluster=cluster.admission,
    )
    return AppliedText(text, world, cluster, checked)
