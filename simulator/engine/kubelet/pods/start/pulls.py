"""Image pulls: one at a time per node, with a back-off per pod and image (serializeImagePulls)."""

from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers import docker
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.pods.start.image_pull import PullVerdict, after_failed_pull, ensure_image
from simulator.engine.model.container import Container
from simulator.engine.model.duration import go_duration
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import PullDone
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Backoff, ImageRow, Pull

_DENIED = (
    "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed"
)
_NO_PLATFORM = 'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": no match for platform in manifest: not found'


tagged_name = behaviour.with_default_tag
"""The name under which an image is stored on disk: with its tag."""


def is_present(fx: Effects, node: str, image: str) -> bool:
    """Whether the image is on the node's disk."""
    return (node, tagged_name(image)) in fx.tables.present


def runs_on(fx: Effects, image: str, node: str) -> bool:
    """Whether the image has a build for the node's operating system."""
    given, reference = fx.world.header.cluster.platforms, behaviour.parse_reference(image)
    platforms = given.get(reference.familiar) if given and reference is not None else None
    return fx.tables.nodes[node].os in (behaviour.image_facts(image).platforms if platforms is None else platforms)


def answer_on(fx: Effects, image: str, node: str) -> ImageRow:
    """The result of a pull to the node: the registry's answer, or that it has nothing for the node's operating system."""
    answer = registry_answer(fx, image)
    by_docker = fx.world.runtime_of(node) == docker.DOCKER
    if not answer.available:
        return _in_dockers_words(fx, answer, image) if by_docker else answer
    if runs_on(fx, image, node):
        return answer
    if by_docker:
        return replace(answer, available=False, problem=docker.no_platform(_system(fx, node)))
    return replace(answer, available=False, problem=_NO_PLATFORM.format(image=tagged_name(image)))


def _in_dockers_words(fx: Effects, answer: ImageRow, image: str) -> ImageRow:
    """The registry's answer with the Docker daemon's error, unless the error was given literally."""
    name = tagged_name(image)
    row = fx.tables.images.get(name)
    if row is not None and row.problem:
        return answer
    return replace(answer, problem=docker.missing(image, known=_knows_repository(fx, name)))


def registry_answer(fx: Effects, image: str) -> ImageRow:
    """What the registry says about an image: that it can be pulled and in what time, or the runtime's error."""
    name = tagged_name(image)
    row = fx.tables.images.get(name)
    if row is None:
        row = ImageRow(available=fx.world.header.cluster.unlisted_images == "pullable", pull_ms=fx.profile.unlisted_pull_ms)
    return row if row.available or row.problem else replace(row, problem=missing_text(fx, name))


def missing_text(fx: Effects, name: str) -> str:
    """containerd's words for an image that the registry does not have: denied for an unknown repository, else not found."""
    full = tagged_name(name)
    if _knows_repository(fx, full):
        return (
            f'rpc error: code = NotFound desc = failed to pull and unpack image "{full}": '
            f'failed to resolve reference "{full}": {full}: not found'
        )
    return f'rpc error: code = Unknown desc = failed to pull and unpack image "{full}": failed to resolve reference "{full}": {_DENIED}'


def _knows_repository(fx: Effects, full: str) -> bool:
    """Whether the registry has any image of that repository, whatever its tag."""
    repository = full.rpartition(":")[0]
    return any(other.rpartition(":")[0] == repository for other in fx.tables.images)


def _system(fx: Effects, node: str) -> str:
    row = fx.tables.nodes[node]
    return f"{row.os}/{row.labels.get('kubernetes.io/arch', 'amd64')}"


def _key(pod: Key, image: str) -> tuple[str, Key, str]:
    return ("image", pod, image)


def verdict(fx: Effects, node: str, pod: Key, container: Container) -> PullVerdict:
    """What the pull policy decides for the container's image at this moment."""
    backoff = fx.tables.backoffs.get(_key(pod, container.image))
    return ensure_image(
        container.image_pull_policy,
        is_present=is_present(fx, node, container.image),
        entry=backoff.entry if backoff is not None else None,
        now_ms=fx.now,
        max_ms=fx.profile.image_backoff_max_ms,
    )


def window(fx: Effects, pod: Key, image: str) -> Data:
    """The current back-off and its end, for a record."""
    backoff = fx.tables.backoffs[_key(pod, image)]
    return (("window", go_duration(backoff.entry.backoff_ms)), ("until_ms", backoff.entry.last_update_ms + backoff.entry.backoff_ms))


def last_problem(fx: Effects, pod: Key, image: str) -> str:
    """The error of the pull that caused the back-off, whatever the registry would answer now (the kubelet's prevPullErrMsg)."""
    return fx.tables.backoffs[_key(pod, image)].problem


def enqueue(fx: Effects, node: str, pod: Key, container: str, image: str) -> None:
    """Put a pull into the node's queue."""
    row = fx.tables.kubelets[node]
    pulls = (*row.pulls, Pull(image, pod, container, fx.now))
    if row.pulls:
        fx.save_kubelet(replace(row, pulls=pulls))
    else:
        _begin(fx, node, pulls)


def _begin(fx: Effects, node: str, pulls: tuple[Pull, ...]) -> None:
    """Begin the first of these pulls; they become the node's queue."""
    head = pulls[0]
    fx.save_kubelet(replace(fx.tables.kubelets[node], pulls=(replace(head, began_ms=fx.now), *pulls[1:])))
    answer = answer_on(fx, head.image, node)
    took = answer.pull_ms if answer.available else fx.profile.failed_pull_ms
    if answer.available and is_present(fx, node, head.image):
        took = min(took, fx.profile.present_pull_ms)
    fx.schedule(fx.now + took, Lane.RUNTIME, PullDone(node, fx.now))


def finish(fx: Effects, node: str) -> tuple[Pull, str]:
    """Finish the pull at the head of the queue: returns it with the error, if any; the next one begins."""
    row = fx.tables.kubelets[node]
    head = row.pulls[0]
    answer = answer_on(fx, head.image, node)
    problem = "" if answer.available else answer.problem
    if problem:
        _advance(fx, head, problem)
    else:
        fx.image_on_disk(node, tagged_name(head.image))
    if row.pulls[1:]:
        _begin(fx, node, row.pulls[1:])
    else:
        fx.save_kubelet(replace(row, pulls=()))
    return head, problem


def _advance(fx: Effects, pull: Pull, problem: str) -> None:
    backoff = fx.tables.backoffs.get(_key(pull.pod, pull.image))
    profile = fx.profile
    entry = after_failed_pull(
        backoff.entry if backoff is not None else None,
        fx.now,
        initial_ms=profile.image_backoff_initial_ms,
        max_ms=profile.image_backoff_max_ms,
    )
    fx.save_backoff(_key(pull.pod, pull.image), Backoff(entry, fx.cause, problem))


def pulled_text(fx: Effects, image: str, took_ms: Ms, waited_ms: Ms) -> str:
    """The message of the Pulled event after a pull, in the version's wording."""
    text = f'Successfully pulled image "{image}" in {go_duration(took_ms)}'
    if fx.profile.pulled_text == "plain":
        return text
    text += f" ({go_duration(took_ms + waited_ms)} including waiting)"
    if fx.profile.pulled_text == "waiting":
        return text
    return f"{text}. Image size: {behaviour.image_facts(image).size_bytes} bytes."
