"""Mounting a pod's volumes before its sandbox is created: try, retry with increasing delays, give up the sync after two minutes.

Source: pkg/kubelet/volumemanager, pkg/util/goroutinemap/exponentialbackoff. The attempts continue
by themselves; the sync only waits for them. Volumes that can be set up cost nothing: ``sandbox_ms`` includes their time.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.containers import Mount
from simulator.engine.containers.files.filesystem import SYSVIPC
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.volumes.volume_content import (
    Unmountable,
    contents,
    follows_source,
    is_read_only,
    same_files,
    token_files,
    token_key,
    volume_key,
)
from simulator.engine.kubelet.pods.volumes.volumes_machine import VOLUMES
from simulator.engine.model.container import Container
from simulator.engine.model.pod import Volume
from simulator.engine.model.service_account import is_token, own_volumes
from simulator.engine.model.system import system_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ProcessWake, VolumeTry, VolumeWait, WorkerStep
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Mounting, PodRow, PodVolumes, Worker

RULES = (
    RuleText(
        "VOLUME-FAILED",
        gettext_noop("The volume could not be mounted; the kubelet retries, doubling the wait each time, up to two minutes."),
        "observed on a 1.20.2 node; pkg/util/goroutinemap/exponentialbackoff",
    ),
    RuleText(
        "VOLUME-MOUNTED",
        gettext_noop("What was missing now exists, so the volume could be mounted on the next attempt."),
        "pkg/kubelet/volumemanager/reconciler",
    ),
    RuleText(
        "VOLUME-WAIT",
        gettext_noop("No container of the pod starts before all its volumes are mounted; the sync waits for them."),
        "pkg/kubelet/volumemanager/volume_manager.go WaitForAttachAndMount",
    ),
    RuleText(
        "VOLUME-WAIT-OVER",
        gettext_noop(
            "The volumes were not mounted within two minutes and three seconds, so this sync gave up; the next one starts waiting again."
        ),
        "pkg/kubelet/volumemanager/volume_manager.go podAttachAndMountTimeout",
    ),
    RuleText(
        "VOLUME-REFRESHED",
        gettext_noop("The source of the volume has changed, and the kubelet rewrote its files when it next looked at the pod."),
        "pkg/volume/util/atomic_writer.go",
    ),
)


def used_volumes(row: PodRow) -> tuple[Volume, ...]:
    """The pod's own volumes that a container mounts; the kubelet ignores the others."""
    spec = row.pod.spec
    volumes = own_volumes(spec)
    if not volumes:
        return ()
    used = {mount.name for item in (*spec.init_containers, *spec.containers, *spec.ephemeral_containers) for mount in item.volume_mounts}
    return tuple(volume for volume in volumes if volume.name in used)


def mounts_of(fx: Effects, row: PodRow, container: Container, sub_paths: tuple[str, ...]) -> tuple[Mount, ...]:
    """Where the container finds its volumes, including that of the service account's token."""
    sources = {volume.name: volume for volume in row.pod.spec.volumes}
    found = []
    for mount, sub_path in zip(container.volume_mounts, sub_paths, strict=True):
        volume = sources.get(mount.name)
        if volume is None:
            continue
        if is_token(volume):
            found.append(Mount(mount.mount_path.rstrip("/"), _token(fx, row), "", True))
        else:
            key = _fixed(fx, row, volume, container) if sub_path and follows_source(volume) else volume_key(row, volume)
            read_only = mount.read_only or is_read_only(volume)
            found.append(Mount(mount.mount_path.rstrip("/") or "/", key, sub_path.strip("/"), read_only))
    if system_of(fx.tables.nodes[row.node].os).has_namespaces:
        own = {mount.path for mount in found}
        found += [Mount(path, key, read_only=path == SYSVIPC) for path, key in ipc_volumes(row) if path not in own]
    return tuple(found)


def ipc_volumes(row: PodRow) -> tuple[tuple[str, str], ...]:
    """What the containers of a pod share through its IPC namespace, and where: memory and System V objects. With hostIPC the node's.

    Source: containerd internal/cri/server/sandbox_run_linux.go setupSandboxFiles, which mounts one /dev/shm into all of them.
    """
    if row.pod.spec.host_ipc:
        return ("/dev/shm", f"node/{row.node}/dev/shm"), (SYSVIPC, f"node/{row.node}/:ipc")
    return ("/dev/shm", f"{row.key}/:shm"), (SYSVIPC, f"{row.key}/:ipc")


def _token(fx: Effects, row: PodRow) -> str:
    """The key of the token's files, which are the same for every pod of a namespace."""
    key = token_key(row.namespace)
    if key not in fx.tables.volumes:
        fx.save_volumes(((key, token_files(row.namespace)),))
    return key


def _fixed(fx: Effects, row: PodRow, volume: Volume, container: Container) -> str:
    """The key of a volume's files as they are now: a subPath mount never follows its source, only a new instance sees changes."""
    key = volume_key(row, volume)
    fixed = fixed_key(key, container.name)
    fx.save_volumes(((fixed, fx.tables.volumes.get(key, {})),))
    return fixed


def fixed_key(key: str, container: str) -> str:
    """The key of the files that a container sees through a subPath."""
    return f"{key}@{container}"


def stage(fx: Effects, row: PodRow, worker: Worker) -> Worker:
    """Mount what the pod needs. The returned worker has the step ``volumes`` while something is missing."""
    if not own_volumes(row.pod.spec):
        return worker
    pod_volumes = fx.tables.mounts.get(row.key)
    if pod_volumes is None:
        pod_volumes = _first_look(fx, row)
    elif not pod_volumes.failing:
        refresh(fx, row)
    if not pod_volumes.failing:
        return worker
    names = ", ".join(item.volume for item in pod_volumes.failing)
    waiting, _, _ = fx.become(VOLUMES, row.key, pod_volumes, "sync_waits", None, data=(("volumes", names),))
    if waiting.state != "waiting":
        return worker
    n = worker.n + 1
    timeout = fx.schedule(fx.now + fx.profile.volume_wait_ms, Lane.KUBELET, VolumeWait(row.key, n))
    fx.save_mounts(row.key, replace(waiting, since_ms=fx.now, timeout=timeout))
    return replace(worker, step="volumes", n=n)


def _first_look(fx: Effects, row: PodRow) -> PodVolumes:
    """Set up every volume that can be, and queue a first attempt for each of the others."""
    failing = []
    for volume in used_volumes(row):
        try:
            fx.save_volumes(((volume_key(row, volume), contents(fx, row, volume)),))
        except Unmountable:
            handle = fx.schedule(fx.now + fx.profile.volume_first_try_ms, Lane.KUBELET, VolumeTry(row.key, volume.name))
            failing.append(Mounting(volume=volume.name, handle=handle))
    pod_volumes = PodVolumes(failing=tuple(failing))
    if not failing:
        return fx.become(VOLUMES, row.key, pod_volumes, "all_there", None)[0]
    fx.save_mounts(row.key, pod_volumes)
    return pod_volumes


def volume_try(fx: Effects, event: VolumeTry) -> None:
    """Try once to mount a volume that was not ready."""
    row = fx.tables.pods[event.pod]
    pod_volumes = fx.tables.mounts.get(event.pod)
    entry = next((item for item in pod_volumes.failing if item.volume == event.volume), None) if pod_volumes is not None else None
    if pod_volumes is None or entry is None:
        return
    if row.deletion_ms is not None:
        fx.save_mounts(
            event.pod,
            replace(pod_volumes, failing=tuple(replace(item, handle=0) if item is entry else item for item in pod_volumes.failing)),
        )
        return
    volume = next(item for item in row.pod.spec.volumes if item.name == event.volume)
    others = tuple(item for item in pod_volumes.failing if item is not entry)
    try:
        files = contents(fx, row, volume)
    except Unmountable as unmountable:
        if unmountable.is_reported:
            text = f'MountVolume.SetUp failed for volume "{event.volume}" : {unmountable.problem}'
            emit(fx, row, severity="Warning", reason="FailedMount", message=text, rule="VOLUME-FAILED")
        wait = min(fx.profile.volume_retry_initial_ms << min(entry.tries, 16), fx.profile.volume_retry_max_ms)
        handle = fx.schedule(fx.now + wait, Lane.KUBELET, VolumeTry(event.pod, event.volume))
        again = replace(entry, tries=entry.tries + 1, problem=unmountable.problem, handle=handle)
        fx.save_mounts(event.pod, replace(pod_volumes, failing=tuple(again if item is entry else item for item in pod_volumes.failing)))
        return
    fx.save_volumes(((volume_key(row, volume), files),))
    data = (("volumes", event.volume),)
    _, _, fx.cause = fx.become(VOLUMES, event.pod, pod_volumes, "mounted", None, data=data, failing=others)
    worker = fx.tables.workers.get(event.pod)
    if not others and worker is not None and worker.step == "volumes":
        poll = fx.profile.volume_poll_ms
        fx.schedule(fx.now + poll - (fx.now - pod_volumes.since_ms) % poll, Lane.KUBELET, WorkerStep(event.pod, worker.n))


def end_wait(fx: Effects, worker: Worker) -> Worker:
    """Stop waiting for volumes: they are there, or the pod is being deleted."""
    pod_volumes = fx.tables.mounts.get(worker.pod)
    if pod_volumes is not None:
        fx.cancel(pod_volumes.timeout)
        fx.save_mounts(worker.pod, replace(pod_volumes, timeout=0))
    return replace(worker, step="", n=worker.n + 1)


def wait_is_over(fx: Effects, event: VolumeWait) -> Worker | None:
    """The sync has waited too long: it fails with an Event. None if it no longer waits."""
    worker = fx.tables.workers.get(event.pod)
    pod_volumes = fx.tables.mounts.get(event.pod)
    if worker is None or pod_volumes is None or worker.step != "volumes" or worker.n != event.n:
        return None
    row = fx.tables.pods[event.pod]
    unmounted = " ".join(item.volume for item in pod_volumes.failing)
    data = (("volumes", unmounted),)
    _, _, fx.cause = fx.become(VOLUMES, event.pod, pod_volumes, "wait_over", None, data=data)
    if fx.profile.volume_timeout_event or any(not item.tries for item in pod_volumes.failing):
        text = fx.profile.volume_timeout_text.format(unmounted=unmounted, all=" ".join(_all_names(row)))
        emit(fx, row, severity="Warning", reason="FailedMount", message=text, rule="VOLUME-WAIT-OVER")
    return replace(end_wait(fx, worker), failed=True, program=())


def _all_names(row: PodRow) -> list[str]:
    """Every volume of the pod by name, the token's first."""
    tokens = [volume.name for volume in row.pod.spec.volumes if is_token(volume)]
    return [*tokens, *(volume.name for volume in used_volumes(row))]


def refresh(fx: Effects, row: PodRow) -> None:
    """Rewrite the files of volumes whose source has changed. If the source is gone the files stay as they are."""
    changed = []
    for volume in used_volumes(row):
        if not follows_source(volume):
            continue
        try:
            files = contents(fx, row, volume)
        except Unmountable:
            continue
        key = volume_key(row, volume)
        if not same_files(files, fx.tables.volumes.get(key, {})):
            changed.append((key, files))
            data = (("volumes", volume.name),)
            fx.become(VOLUMES, row.key, fx.tables.mounts[row.key], "source_changed", None, data=data)
    if not changed:
        return
    fx.save_volumes(tuple(changed))
    for instance in fx.tables.instances.get(row.key, ()):
        if instance.waits_for_files and instance.runs:
            fx.schedule(fx.now, Lane.RUNTIME, ProcessWake(row.key, instance.container, instance.attempt))


def forget_tries(fx: Effects, pod: Key) -> None:
    """Forget the progress of mounting a pod's volumes: the kubelet has stopped, or the pod is gone."""
    pod_volumes = fx.tables.mounts.get(pod)
    if pod_volumes is not None:
        fx.cancel(pod_volumes.timeout)
        for item in pod_volumes.failing:
            fx.cancel(item.handle)  # 0 after an attempt that the deletion has made pointless
        fx.save_mounts(pod, None)


def forget_ipc(fx: Effects, row: PodRow) -> None:
    """The pod's sandbox is gone, and its IPC namespace with it."""
    if not row.pod.spec.host_ipc:
        for _path, key in ipc_volumes(row):
            fx.drop_volume(key)


def drop(fx: Effects, row: PodRow) -> None:
    """The pod is gone: the contents of its own volumes are gone too; claims and paths on the node stay."""
    forget_tries(fx, row.key)
    forget_ipc(fx, row)
    for volume in own_volumes(row.pod.spec):
        if volume.persistent_volume_claim is None and volume.host_path is None:
            key = volume_key(row, volume)
            fx.drop_volume(key)
            for container in (*row.pod.spec.init_containers, *row.pod.spec.containers):
                fx.drop_volume(fixed_key(key, container.name))
