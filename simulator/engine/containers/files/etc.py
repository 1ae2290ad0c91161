"""The files in a container's /etc that exist without being stored: those of the kubelet and the runtime, and those in every image.

Source: pkg/kubelet/kubelet_pods.go managedHostsFileContent, nodeHostsFileContent; containerd internal/cri parseDNSOptions; the published
file systems of busybox and debian. Here the kubelet writes the files of each container separately; on a node its containers share them.

They are generated from ``Naming`` when read, so a pod that gets its address later needs no
rewrite. A program that writes to one of them replaces it with a stored file of that container.
"""

from msgspec import Struct

HOSTS, HOSTNAME, RESOLV = "/etc/hosts", "/etc/hostname", "/etc/resolv.conf"
_LOCAL = (
    "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\n"
    "fe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
)


class Naming(Struct, frozen=True, gc=False):
    """A container's names and those it can resolve. ``domain``: for a pod with a subdomain; ``aliases``: an address with its names."""

    hostname: str = ""
    domain: str = ""
    address: str = ""
    is_full: bool = False  # setHostnameAsFQDN: the kernel's host name includes the domain
    node: str = ""  # for a pod in its node's network: the node's address
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    searches: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def full(self) -> str:
        """The name with its domain."""
        return f"{self.hostname}.{self.domain}" if self.domain else self.hostname

    @property
    def kernel_name(self) -> str:
        """What ``hostname`` prints."""
        return self.full if self.is_full else self.hostname


NO_NAMING = Naming()


def _hosts(naming: Naming) -> str:
    text = "# Kubernetes-managed hosts file"
    if naming.node:
        text += f" (host network).\n127.0.0.1\tlocalhost\n{naming.node}\t{naming.hostname}\n"
    else:
        text += f".\n{_LOCAL}{naming.address}\t{f'{naming.full}{chr(9)}' if naming.domain else ''}{naming.hostname}\n"
    if naming.aliases:
        listed = "".join(f"{address}\t{chr(9).join(names)}\n" for address, names in naming.aliases)
        text += f"\n# Entries added by HostAliases.\n{listed}"
    return text


def _resolver(naming: Naming) -> str:
    lines = [f"search {' '.join(naming.searches)}"] if naming.searches else []
    lines += [f"nameserver {server}" for server in naming.servers]
    lines += [f"options {' '.join(naming.options)}"] if naming.options else []
    return "".join(f"{line}\n" for line in lines)


_BUSYBOX_PASSWD = """\
root:x:0:0:root:/root:/bin/sh
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
sys:x:3:3:sys:/dev:/bin/false
sync:x:4:100:sync:/bin:/bin/sync
mail:x:8:8:mail:/var/spool/mail:/bin/false
www-data:x:33:33:www-data:/var/www:/bin/false
operator:x:37:37:Operator:/var:/bin/false
nobody:x:65534:65534:nobody:/home:/bin/false
"""
_BUSYBOX_GROUP = """\
root:x:0:
daemon:x:1:
bin:x:2:
sys:x:3:
adm:x:4:
tty:x:5:
disk:x:6:
wheel:x:10:root
mail:x:8:
www-data:x:33:
operator:x:37:
users:x:100:
nogroup:x:65534:
"""
_DEBIAN_PASSWD = """\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
sys:x:3:3:sys:/dev:/usr/sbin/nologin
sync:x:4:65534:sync:/bin:/bin/sync
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
_DEBIAN_GROUP = "root:x:0:\ndaemon:x:1:\nbin:x:2:\nsys:x:3:\nadm:x:4:\ntty:x:5:\nwww-data:x:33:\nusers:x:100:\nnogroup:x:65534:\n"
_OF_IMAGES = {
    "/etc/passwd": {"busybox": _BUSYBOX_PASSWD, "alpine": _BUSYBOX_PASSWD, "debian": _DEBIAN_PASSWD, "any": _DEBIAN_PASSWD},
    "/etc/group": {"busybox": _BUSYBOX_GROUP, "alpine": _BUSYBOX_GROUP, "debian": _DEBIAN_GROUP, "any": _DEBIAN_GROUP},
}
PATHS = (HOSTS, HOSTNAME, RESOLV, *_OF_IMAGES)


def etc_text(naming: Naming, tools: str, path: str) -> str | None:
    """The text of such a file, or None if the container has none at that path. ``tools``: as in ``ImageFacts``."""
    if path == HOSTNAME:
        return f"{naming.kernel_name}\n"
    if path == HOSTS:
        # Without an address the kubelet has not written the file yet.
        return _hosts(naming) if naming.address or naming.node else None
    if path == RESOLV:
        return _resolver(naming)
    return _OF_IMAGES.get(path, {}).get(tools)
