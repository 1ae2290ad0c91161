"""The volumes of a pod on its node, from the first look at them.

The volume manager mounts in a loop of its own; a sync only waits until all are mounted, two minutes and
three seconds at most. So there are two clocks: the attempts for a volume that fails, each after twice the
previous wait, and the patience of the sync. ``timeout`` concerns the sync alone. The attempts continue, and a
later sync waits again or finds everything mounted.

* mounted straight from the empty state is quiet: volumes that are available are not worth a record.
* waiting follows mounted if the pod's next container has volumes that are not available.
* refreshed: a ConfigMap, Secret or downward API volume got new files, which a sync does about once a
  minute, and never for mounts with a subPath.

Source: pkg/kubelet/volumemanager/volume_manager.go WaitForAttachAndMount, volumemanager/reconciler.
"""

from simulator.engine.kernel.machine import Machine, Row, State, StateField
from simulator.engine.world.rows import PodVolumes

VOLUMES: Machine[None] = Machine(
    "volumes",
    about="Whether the volumes of a pod are mounted. Mounted: the last of them that was tried is.",
    initial="",
    fields=(StateField(PodVolumes, "state", lambda pod, _: f"pod/{pod}", lambda fx, pod, row: fx.save_mounts(pod, row), seq_field=""),),
    omitted=("sync_waits", "mounted", "wait_over", "source_changed"),
    states=(
        State("", "Not looked at", "absent"),
        State("waiting", "A sync waits for them", "waiting"),
        State("mounted", "Mounted", "ready"),
        State("timeout", "Waited too long", "failed"),
        State("refreshed", "Files renewed", "ready"),
    ),
    rows=(
        Row("", "all_there", "mounted", "VOLUME-MOUNTED", quiet=True),
        Row("", "sync_waits", "waiting", "VOLUME-WAIT"),
        Row("timeout", "sync_waits", "waiting", "VOLUME-WAIT"),
        Row("mounted", "sync_waits", "waiting", "VOLUME-WAIT"),
        Row("waiting", "mounted", "mounted", "VOLUME-MOUNTED"),
        Row("mounted", "mounted", "mounted", "VOLUME-MOUNTED"),
        Row("timeout", "mounted", "mounted", "VOLUME-MOUNTED"),
        Row("waiting", "wait_over", "timeout", "VOLUME-WAIT-OVER"),
        Row("mounted", "wait_over", "timeout", "VOLUME-WAIT-OVER"),
        Row("mounted", "source_changed", "refreshed", "VOLUME-REFRESHED"),
        Row("refreshed", "source_changed", "refreshed", "VOLUME-REFRESHED"),
    ),
)
