"""The parts of a run's YAML that are not objects in it, for its page: parsed once per process and run."""

from uuid import UUID

from django.utils.translation import get_language

from simulator.manifests.check.left_out import LeftOut, left_out
from simulator.web.base.caches import LEFT_OUT


def left_out_of(run_id: UUID, text: str, kubernetes: str) -> tuple[LeftOut, ...]:
    """The objects that were left out, in the reader's language. O(text), cached per run."""
    return LEFT_OUT.of((run_id, get_language() or ""), lambda: left_out(text, kubernetes=kubernetes) if text else ())
