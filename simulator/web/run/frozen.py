"""Panels that are made only once: of runs behind links, and of runs that are still untouched at their beginning.

The past of a run behind a link never changes, and everybody who follows the link sees the same. Runs made by a class's start, and all
attempts at a level, are alike until somebody acts in them, and their pages show the same.

Nothing about a visitor is cached. A panel depends only on its scene, which contains no visitor except for the role; a visitor's tokens
and the run's id are replaced by placeholders that nobody can predict and write into a run.
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
    """A cached panel, for a visitor and a run."""

    request: HttpRequest
    run_id: UUID
    text: SafeString

    def html(self) -> SafeString:
        """Its inner HTML for that run, with the visitor's token and new keys in any forms."""
        text = _KEY.sub(lambda _: new_client_key(), self.text.replace(RUN_PLACE, str(self.run_id)))
        return mark_safe(text.replace(TOKEN_PLACE, get_token(self.request)) if TOKEN_PLACE in text else text)


def kept_panel(request: HttpRequest, tab: str, scene: PanelScene, moment: Moment) -> KeptPanel | None:
    """A panel that is made only once; None for a run that is still changing, for one behind a link viewed by its owner, and for one of
    which there are only records.

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
    asked = (moment.sel, moment.rec, moment.line, moment.did, moment.namespace, moment.part, moment.pin_ms, moment.noise)
    return KeptPanel(request, run.id, KEPT_PANELS.of((tab, of_run, of_scene, asked, get_language()), lambda: _made(tab, scene)))


def _beginning(run: Run) -> Hashable:
    """A key for a run that is still at its beginning: the engine's history, and everything that panels read from its row."""
    texts = hashlib.sha256(b"%d " % len(run.header_body) + bytes(run.header_body) + run.source_body.encode())
    return (texts.digest(), bytes(run.head_digest), run.revision, run.level, run.share_id, run.parent_id, run.parent_ms)


def _made(tab: str, scene: WorldScene) -> SafeString:
    template, context = panel(tab, scene)
    text = render_to_string(template, {"panel": context, **scene.frame(), "csrf_token": TOKEN_PLACE})
    return mark_safe(text.replace(str(scene.run.id), RUN_PLACE))
