"""Which of its metadata a client shows: managedFields, which kubectl from 1.21 on leaves out of JSON and YAML unless asked.

Source: k8s.io/cli-runtime pkg/printers (managedfields.go), pkg/genericclioptions (json_yaml_flags.go).
"""

from simulator.engine.apiserver.managed.managers import with_managed_fields
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.line import Line
from simulator.kubectl.tables.model import Sight

ALWAYS_MANAGED = Span(until=20)
"""kubectl that shows managedFields always and has no flag for it."""
UNMANAGED = ("Event", "Lease")
"""Kinds whose objects no client is shown managers of: kubelets and controllers alone write them."""


def with_managers(document: Json, line: Line, sight: Sight) -> Json:
    """The object as a format of this line gets it. About a millisecond where it has managers."""
    is_left_out = line.value("output") in ("json", "yaml") and not ALWAYS_MANAGED.holds_for(sight.minor)
    if (is_left_out and not line.has("show-managed-fields")) or document.get("kind") in UNMANAGED:
        return document
    return with_managed_fields(sight.world, document)
