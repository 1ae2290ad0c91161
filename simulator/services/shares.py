"""Links that never change: a content is stored under an id derived from it, once, for ever."""

from django.db import transaction

from simulator.clock import moment_of
from simulator.content import Content, content_id, decode_content, encode_content
from simulator.history import commands_until
from simulator.models import Run, Scenario, SharedScenario
from simulator.services.runs import run_create

ID_LENGTH = 10
ID_LENGTH_MAX = 52


def share_create(*, run: Run, title: str | None = None) -> SharedScenario:
    """A link to what ``run`` has been so far: its header, every command given and the moment it has reached."""
    run.refresh_from_db()
    if run.is_frozen and run.share is not None:
        return run.share
    base = run.content()
    until_ms = moment_of(run)
    content = Content(header=base.header, source=base.source, commands=tuple(commands_until(run, at_ms=until_ms)), until_ms=until_ms)
    return share_content(content=content, title=title or run.title, parent=run.share, scenario=run.scenario, run=run)


@transaction.atomic
def share_content(
    *, content: Content, title: str, parent: SharedScenario | None = None, scenario: Scenario | None = None, run: Run | None = None
) -> SharedScenario:
    """The link of that content; made where it is new. The id grows by a letter where it would collide with another content."""
    body = encode_content(content)
    for length in range(ID_LENGTH, ID_LENGTH_MAX + 1):
        share_id = content_id(content, length=length)
        share, is_new = SharedScenario.objects.get_or_create(
            id=share_id, defaults={"title": title[:120], "body": body, "parent": parent, "scenario": scenario, "run": run}
        )
        if is_new or share.body == body:
            return share
    raise AssertionError("two contents with one SHA-256")


def shared_run(*, share: SharedScenario) -> Run:
    """The one frozen, ownerless run behind a link, paused where the sharer was. Made on the first call; later ones only read."""
    return _frozen_run(share) or _make_frozen_run(share.id)


def _frozen_run(share: SharedScenario) -> Run | None:
    return Run.objects.filter(share=share, is_frozen=True).first()


@transaction.atomic
def _make_frozen_run(share_id: str) -> Run:
    share = SharedScenario.objects.select_for_update().get(id=share_id)
    return _frozen_run(share) or run_create(
        content=decode_content(share.body), title=share.title, owner_key="", scenario=share.scenario, share=share
    )
