"""What is presumed of containers whose image is not known: findings of severity info, which the tab Behaviour begins with."""

from collections.abc import Iterator

from msgspec import ValidationError, convert

from simulator.engine.kubelet.containers.presumed import presumed
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.runtime import image_facts, parse_reference
from simulator.engine.runtime.programs.languages import opaque
from simulator.engine.runtime.programs.registry import program_in
from simulator.manifests.check.behaviours import annotation_text
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.problems import INFO
from simulator.manifests.editor.advice.registry import PodPlace
from simulator.manifests.read.loader import load
from simulator.manifests.texts import _

CODE = "presumed"


def presumed_findings(pod: PodPlace) -> Iterator[Finding]:
    """One finding for each container of which the manifest is believed, at its image. Cost: some µs a container."""
    try:
        spec = convert(pod.spec, PodSpec, strict=False)
    except ValidationError:
        return
    told = _told(pod)
    for group, containers in (("initContainers", spec.init_containers), ("containers", spec.containers)):
        for index, container in enumerate(containers):
            if container.name not in told and _is_unknown(container):
                path = f"{pod.path}spec.{group}[{index}].image"
                yield Finding(path=path, message=_words(spec, container), code=CODE, severity=INFO)


def _told(pod: PodPlace) -> frozenset[str]:
    """The containers of which the annotation says what they do."""
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
    if own.ends:
        return _("what %(image)s does is not known: it is taken to end with 0 after a second, unless Behaviour says otherwise") % values
    if own.ports:
        text = _(
            "what %(image)s does is not known: it is taken to run, to listen on %(ports)s and to pass its probes, "
            "unless Behaviour says otherwise"
        )
        return text % values
    return _("what %(image)s does is not known: it is taken to run and to pass its probes, unless Behaviour says otherwise") % values
