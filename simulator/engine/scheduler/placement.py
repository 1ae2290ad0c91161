"""What a pod brings to the scheduler besides resources: claims that must exist.

Source: plugin VolumeBinding; observed on a 1.20.2 node. A claim that exists counts as bound.
"""

from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow


def claim_problem(fx: Effects, row: PodRow) -> str:
    """Why no node can be tried at all: a claim that does not exist. Empty where every claim is there."""
    for volume in row.pod.spec.volumes:
        claim = volume.persistent_volume_claim
        if claim is not None and ("PersistentVolumeClaim", row.namespace, str(claim.get("claimName"))) not in fx.tables.objects:
            return f'persistentvolumeclaim "{claim.get("claimName")}" not found'
    return ""
