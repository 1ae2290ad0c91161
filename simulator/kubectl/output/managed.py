"""Whether a client shows managedFields: since 1.21 kubectl leaves them out of JSON and YAML unless asked.

Source: k8s.io/cli-runtime pkg/printers (managedfields.go), pkg/genericclioptions (json_yaml_flags.go).
"""

from simulator.engine.apiserver.managed.managers import with_managed_fields
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.line import Line
from simulator.kubectl.tables.model import Sight

ALWAYS_MANAGED = Span(until=20)
"""The kubectl versions that always show managedFields and have no flag for them."""
UNMANAGED = ("Event", "Lease")
"""Kinds that are never shown with managers: only kubelets and controllers write them."""


def with_managers(document: Json, line: Line, sight: Sight) -> Json:
    """The object as an output format of this line receives it. About a millisecond if it has managers."""
    is_left_out = line.value("output") in ("json", "yaml") and not ALWAYS_MANAGED.holds_for(sight.minor)
    if (is_left_out and not line.has("show-managed-fields")) or document.get("kind") in UNMANAGED:
        return document
    return with_managed_fields(sight.world, document)
