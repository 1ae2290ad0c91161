"""What others see of a pod's row: what makes a new revision of the object, and what counts for disruption budgets."""

from simulator.engine.rows import PodRow


def counted(row: PodRow) -> tuple[object, ...]:
    """What of a pod counts for disruption budgets."""
    ready = row.status.condition("Ready")
    return (ready is not None and ready.status, row.deletion_ms is None, row.gone_ms, row.pod.metadata.labels)


def shown(row: PodRow) -> tuple[object, ...]:
    """What of a row the API object shows beside its spec and status."""
    return (row.document, row.node, row.deletion_ms, row.grace_s, row.generation, row.gone_ms)
