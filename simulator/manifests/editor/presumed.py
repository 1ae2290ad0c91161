"""What is presumed about containers with an unknown image: findings of severity info, which the Behaviour tab starts from."""

from collections.abc import Iterator

from simulator.engine.containers import image_facts, parse_reference
from simulator.engine.containers.images.known import HTTPD_ROOT, NGINX_ROOT
from simulator.engine.containers.kernel.execute import opaque
from simulator.engine.containers.programs.catalogue import program_in
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.typed import Typed
from simulator.engine.kubelet.pods.start.presumed import presumed
from simulator.engine.model.container import Container
from simulator.engine.model.manifest import convert
from simulator.engine.model.pod import PodSpec
from simulator.manifests.check.behaviours import annotation_text
from simulator.manifests.check.findings import Finding
from simulator.manifests.editor.advice.advisers import PodPlace
from simulator.manifests.problems import INFO
from simulator.manifests.read.loader import load
from simulator.manifests.texts import _

_SPEC: Typed[PodSpec] = Typed(PodSpec)
CODE = "presumed"
BARE = "bare-server"
_SERVED = (NGINX_ROOT, HTTPD_ROOT, "/etc/nginx", "/usr/local/apache2/conf")


def presumed_findings(pod: PodPlace) -> Iterator[Finding]:
    """One finding, at its image, for each container whose behaviour is presumed from the manifest. Cost: some µs a container."""
    try:
        spec = convert(pod.spec, _SPEC)
    except BadManifest:
        return
    described = _described(pod)
    for group, containers in (("initContainers", spec.init_containers), ("containers", spec.containers)):
        for index, container in enumerate(containers):
            if container.name not in described and _is_unknown(container):
                path = f"{pod.path}spec.{group}[{index}].image"
                yield Finding(path=path, message=_words(spec, container), code=CODE, severity=INFO)
            elif container.name not in described:
                yield from _bare(container, f"{pod.path}spec.{group}[{index}]")


def _bare(container: Container, path: str) -> Iterator[Finding]:
    """Probes of paths that a server does not have because it only serves its image's own page."""
    kind = image_facts(container.image).kind
    mounted = any(mount.mount_path.startswith(_SERVED) for mount in container.volume_mounts)
    if kind not in ("nginx", "httpd") or container.command or mounted:
        return
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = {"l": container.liveness_probe, "r": container.readiness_probe, "s": container.startup_probe}[name[0]]
        asked = probe.http_get.path if probe is not None and probe.http_get is not None else "/"
        if asked not in ("/", "/index.html"):
            values = {"server": kind, "path": asked}
            text = _("the simulated %(server)s serves only /, so %(path)s returns a 404 until Behaviour or a volume provides it")
            yield Finding(path=f"{path}.{name}.httpGet.path", message=text % values, code=BARE, severity=INFO)


def _described(pod: PodPlace) -> frozenset[str]:
    """The containers whose behaviour the annotation describes."""
    written = annotation_text(pod.pod)
    documents = load(written).documents if written is not None else ()
    blocks = documents[0].value if documents else None
    return frozenset(map(str, blocks)) if isinstance(blocks, dict) else frozenset()


def _is_unknown(container: Container) -> bool:
    facts = image_facts(container.image)
    if facts.known or parse_reference(container.image) is None:
        return False
    return not container.command or program_in(facts, container.command[0].rpartition("/")[2]) is opaque


def _words(spec: PodSpec, container: Container) -> str:
    own = presumed(spec, container)
    values = {"image": container.image, "ports": ", ".join(map(str, own.ports))}
    if own.ends or own.completes:
        text = _("%(image)s is unknown: it is assumed to exit with 0 after a second, unless Behaviour says otherwise")
        return text % values
    if own.ports:
        text = _(
            "%(image)s is unknown: it is assumed to keep running, listen on %(ports)s and pass its probes, unless Behaviour says otherwise"
        )
        return text % values
    text = _("%(image)s is unknown: it is assumed to keep running and pass its probes, unless Behaviour says otherwise")
    return text % values
