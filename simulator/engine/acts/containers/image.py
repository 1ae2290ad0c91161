"""An image is removed from the registry, or put back."""

from collections.abc import Iterator

from msgspec.structs import replace

from simulator.engine.acts.act import Act, Either
from simulator.engine.acts.form import IMAGE, SWITCH, Form, FormField, is_needed
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.kubelet.pods.start.pulls import tagged_name
from simulator.engine.projection.images import is_in_registry
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import ImageRow
from simulator.engine.world.world import World


class SetImage(Command, frozen=True, kw_only=True, tag="set_image"):
    """Make an image pullable or unavailable in the registry."""

    image: str
    available: bool
    pull_ms: Ms = 1000


def _set_image(fx: Effects, command: SetImage) -> Doing:
    # What nodes have already pulled is unaffected: only the next pull asks the registry.
    row = ImageRow(available=command.available, pull_ms=max(command.pull_ms, 0))
    return lambda: fx.save_image(tagged_name(command.image), replace(row, seq=fx.cause))


def _subject(command: SetImage) -> Subject:
    return f"image/{command.image}"


def _offer(world: World, image: str) -> Iterator[Offer]:
    if is_in_registry(world, image):
        label, effect = gettext_noop("Make image unavailable"), gettext_noop("The next pull fails; nodes keep what they have.")
        given: dict[str, str | int] = {"image": image}
    else:
        label, effect = gettext_noop("Make image available"), gettext_noop("The next pull succeeds.")
        given = {"image": image, "available": "on"}
    yield Offer(key=f"image-{image}", place="image", given=given, buttons=button(label), help=Text(effect))


def _read(step: StepReader) -> Iterator[SetImage]:
    command = SetImage(image=step.needed("name", str), available=step.field("available", bool, True))
    pull_ms = step.duration("pull")
    yield command if pull_ms is None else replace(command, pull_ms=pull_ms)


SET_IMAGE = Act(
    command=SetImage,
    handler=_set_image,
    subject=_subject,
    sentence=Either("available", gettext_noop("Make image {image} available"), gettext_noop("Make image {image} unavailable")),
    headline=Either("available", gettext_noop("You made image {image} available"), gettext_noop("You made image {image} unavailable")),
    icon="image",
    form=Form((is_needed(IMAGE), FormField("available", SWITCH))),
    offers=Offers(image=_offer),
    verbs=(
        Verb(
            "image",
            "removes an image from the registry or puts it back, with the time a pull takes",
            _read,
            needs=("name",),
            may=("available", "pull"),
        ),
    ),
)
