"""hostPath volumes: the files on a node, and the check of ``type``.

Source: pkg/volume/hostpath/host_path.go checkTypeInternal; observed on a 1.20.2 node. Apart from a usual Linux node's own directories
nothing exists until a pod creates it, and what pods write to a path stays there for all pods of the node.
"""

from collections.abc import Callable, Mapping
from typing import Any

from simulator.engine.containers.files.filesystem import File, Files
from simulator.engine.kubelet.pods.facts.naming import NODE_RESOLVER
from simulator.engine.world.effects import Effects

_DIRECTORIES = dict.fromkeys(
    (
        "/", "/bin", "/boot", "/dev", "/etc", "/etc/kubernetes", "/etc/kubernetes/manifests", "/etc/ssl", "/etc/ssl/certs", "/home", "/lib",
        "/lib/modules", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/run/containerd", "/sbin", "/srv", "/sys", "/sys/fs/cgroup",
        "/tmp", "/usr", "/usr/lib", "/usr/share", "/var", "/var/lib", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/kubelet/pods",
        "/var/log", "/var/log/containers", "/var/log/pods", "/var/run",
    )
)  # fmt: skip
_FILES = {
    "/etc/hostname": "node\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/localtime": "",
    "/etc/machine-id": "0\n",
    "/etc/os-release": 'NAME="Linux"\n',
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "/etc/resolv.conf": f"nameserver {NODE_RESOLVER}\n",
}
_SOCKETS = ("/run/containerd/containerd.sock", "/var/run/containerd/containerd.sock")
_DEVICES = {"CharDevice": ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/fuse"), "BlockDevice": ("/dev/sda", "/dev/vda")}
_WORDS = {
    "Directory": "a directory",
    "File": "a file",
    "Socket": "a socket file",
    "CharDevice": "a character device",
    "BlockDevice": "a block device",
}


def host_files(fx: Effects, key: str, source: Mapping[str, Any], refuse: Callable[[str], Exception]) -> Files:
    """The contents of the path on its node; if the type check fails, raises what ``refuse`` makes of the kubelet's message."""
    path = str(source.get("path") or "").rstrip("/") or "/"
    kind = str(source.get("type") or "")
    stored = fx.tables.volumes.get(key)
    found = _kind_of(path, stored)
    wanted = kind.removesuffix("OrCreate")
    if kind and found != wanted and not (found == "" and kind.endswith("OrCreate")):
        raise refuse(f"hostPath type check failed: {path} is not {_WORDS.get(wanted, 'known')}")
    if stored is not None:
        return stored
    if path in _FILES or kind == "FileOrCreate":
        return {"": File(_FILES.get(path, ""))}
    return {}


def _kind_of(path: str, stored: Files | None) -> str:
    """What exists at the path, in the terms of ``type``; empty if nothing does."""
    if stored is not None:
        return "File" if "" in stored else "Directory"
    if path in _DIRECTORIES:
        return "Directory"
    if path in _FILES:
        return "File"
    if path in _SOCKETS:
        return "Socket"
    return next((kind for kind, paths in _DEVICES.items() if path in paths), "")
