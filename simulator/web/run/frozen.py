"""Panels that are made once: of runs behind links, and of runs that stand where they begin and that nobody has touched.

What a run behind a link has been never changes, and everybody who follows the link sees the same. Runs that a class's start
has made, or any attempts at a level, stand alike until somebody acts in them, and each page of them shows the same.

Nothing of a visitor is kept. Panels follow from their scene, which has no visitor but for the role; where a form has a visitor's
token, a place stands for it, and another for the run, by names that nobody can know beforehand and write into a run.
"""

import hashlib
import re
from collections.abc import Hashable
from dataclasses import dataclass
from secrets import token_hex
from uuid import UUID

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from simulator.models import Run
from simulator.runs.log.clock import stands_at_beginning
from simulator.runs.log.history import is_kept
from simulator.runs.permissions import OWNER
from simulator.web.base.caches import KEPT_PANELS
from simulator.web.base.client_keys import new_client_key
from simulator.web.base.common import Moment
from simulator.web.run.panels import panel
from simulator.web.run.scenes import PanelScene, WorldScene

TOKEN_PLACE = f"token-{token_hex(16)}"
RUN_PLACE = f"run-{token_hex(16)}"
_KEY = re.compile(r'(?<= name="client_key" value=")[^"]*')


@dataclass(frozen=True)
class KeptPanel:
    """A panel as it is kept, for a visitor and a run."""

    request: HttpRequest
    run_id: UUID
    text: SafeString

    def html(self) -> SafeString:
        """Its inner HTML for that run, with the visitor's own token and with new keys, where it has forms."""
        text = _KEY.sub(lambda _: new_client_key(), self.text.replace(RUN_PLACE, str(self.run_id)))
        return mark_safe(text.replace(TOKEN_PLACE, get_token(self.request)) if TOKEN_PLACE in text else text)


def kept_panel(request: HttpRequest, tab: str, scene: PanelScene, moment: Moment) -> KeptPanel | None:
    """A panel that is made once; None for a run that goes on, or that is behind a link and its owner looks at, or of which only records
    tell.

    Raises StillComputing.
    """
    run = scene.run
    if is_kept(run) or not isinstance(scene, WorldScene):
        return None
    of_run: Hashable
    if run.is_frozen and scene.role != OWNER:
        of_run = (run.id, run.head_seq)
    elif scene.is_live and scene.seq == run.head_seq and stands_at_beginning(run):
        of_run = _beginning(run)
    else:
        return None
    of_scene = (scene.seq, scene.now_ms, scene.role, scene.is_live)
    asked = (moment.sel, moment.rec, moment.line, moment.did, moment.part, moment.pin_ms, moment.noise)
    return KeptPanel(request, run.id, KEPT_PANELS.of((tab, of_run, of_scene, asked, get_language()), lambda: _made(tab, scene)))


def _beginning(run: Run) -> Hashable:
    """What a run that stands where it begins is told from others by: the engine's history, and all that panels read of its row."""
    texts = hashlib.sha256(b"%d " % len(run.header_body) + bytes(run.header_body) + run.source_body.encode())
    return (texts.digest(), bytes(run.head_digest), run.revision, run.level, run.share_id, run.parent_id, run.parent_ms)


def _made(tab: str, scene: WorldScene) -> SafeString:
    template, context = panel(tab, scene)
    text = render_to_string(template, {"panel": context, **scene.frame(), "csrf_token": TOKEN_PLACE})
    return mark_safe(text.replace(str(scene.run.id), RUN_PLACE))
