"""Advice about images."""

from collections.abc import Iterator
from difflib import get_close_matches

from simulator.engine.apiserver.validation.pod_rules import text
from simulator.engine.containers.images.reference import parse_reference
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.editor.advice.advisers import CONTAINER, AdviceScene, ContainerPlace, Hint, advice
from simulator.manifests.texts import _

_DOC = "concepts/containers/images/"
_USUAL_TAGS = ("latest", "stable", "alpine", "slim", "edge", "nightly", "master", "main")


@advice(
    "image-latest",
    CONTAINER,
    why=gettext_noop(
        "The tag may mean a different image tomorrow, so two pods of one workload can run different code, and a rollback has nothing "
        "old to return to."
    ),
    doc=f"{_DOC}#image-names",
)
def latest(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """An image without a tag, or with ``latest``."""
    image = text(place.value, "image")
    reference = parse_reference(image)
    if reference is not None and not reference.digest and reference.tag in ("", "latest"):
        message = _('image "%s" does not specify a version') if not reference.tag else _('image "%s" is whatever is newest')
        yield Hint(path=f"{place.path}.image", message=message % image)


@advice(
    "image-name-invalid",
    CONTAINER,
    why=gettext_noop(
        "The API server accepts any text here; the kubelet cannot parse it, and the container waits with InvalidImageName forever."
    ),
    doc=f"{_DOC}#image-names",
)
def invalid_name(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """An invalid image name."""
    image = text(place.value, "image")
    # The API server itself refuses whitespace around a name.
    if image and image == image.strip() and parse_reference(image) is None:
        yield Hint(path=f"{place.path}.image", message=_('"%s" is not a valid image name') % image)


@advice(
    "image-tag-typo",
    CONTAINER,
    why=gettext_noop("A registry without this tag answers “not found”: the container waits in ErrImagePull and ImagePullBackOff."),
    doc=f"{_DOC}#imagepullbackoff",
)
def tag_typo(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A tag that looks like a typo for a common one."""
    image = text(place.value, "image")
    reference = parse_reference(image)
    # Version numbers are never taken for typos.
    if reference is None or not reference.tag or reference.tag in _USUAL_TAGS or not reference.tag.isalpha():
        return
    close = get_close_matches(reference.tag.lower(), _USUAL_TAGS, n=1, cutoff=0.75)
    if close:
        values = {"tag": reference.tag, "usual": close[0]}
        yield Hint(path=f"{place.path}.image", message=_('tag "%(tag)s" looks like a typo for "%(usual)s"') % values)


@advice(
    "image-stale-latest",
    CONTAINER,
    why=gettext_noop(
        "A node that has any image with this name never checks again, so nodes keep running whichever versions they happen to have."
    ),
    doc=f"{_DOC}#image-pull-policy",
)
def stale_latest(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A moving tag that is pulled only once."""
    reference = parse_reference(text(place.value, "image"))
    policy = text(place.value, "imagePullPolicy")
    if reference is not None and not reference.digest and reference.tag in ("", "latest") and policy == "IfNotPresent":
        yield Hint(path=f"{place.path}.imagePullPolicy", message=_("a moving tag is pulled once and then kept"))


@advice(
    "image-pull-never",
    CONTAINER,
    why=gettext_noop("A node without the image cannot start the container: it waits with ErrImageNeverPull."),
    doc=f"{_DOC}#image-pull-policy",
)
def pull_never(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """An image that must already be on every node."""
    if text(place.value, "imagePullPolicy") == "Never":
        yield Hint(path=f"{place.path}.imagePullPolicy", message=_("the image must be on the node before the pod arrives"))
