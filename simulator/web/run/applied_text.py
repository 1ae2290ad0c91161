"""A text that is to be applied to a run, judged once: the acts, the preview and their reports all go by the same verdict.

The run's store judges the accepted documents once more when it carries the act out. That is not this verdict over again: it is given by
another process, at a later moment at which the objects of the text may have come or gone, over a stored command that a file may hold as
well, and it is part of the history that every replay repeats.
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
        """Whether there is something to apply and nothing stands against it."""
        return self.checked.ok and bool(self.checked.documents)

    def report(self) -> TextReport:
        """All findings with their places, advice included. Tries changes of objects that exist on forks of the world."""
        header = self.world.header
        return report_of(self.text, self.checked, kubernetes=header.kubernetes, cluster=self.cluster, gates=header.gates)


def judged(text: str, world: World) -> AppliedText:
    """The text as the API server of the world would answer it. About 10 µs a line, and O(objects)."""
    header, cluster = world.header, surroundings_of(world)
    checked = check_text(
        text,
        kubernetes=header.kubernetes,
        namespace=header.namespace,
        known=cluster.known,
        gates=header.gates,
        cluster=cluster.admission,
    )
    return AppliedText(text, world, cluster, checked)
