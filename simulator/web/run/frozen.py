"""Panels of runs behind links, made once: what such a run has been never changes, and everybody who follows a link sees the same.

Nothing of a visitor is kept. Whoever looks at such a run may only look, so a panel is made without the
request; where one of its forms has a visitor's token, a place stands for it, by a name that nobody can
know beforehand and write into a run.
"""

from dataclasses import dataclass
from secrets import token_hex

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from simulator.runs.log.history import is_kept
from simulator.runs.permissions import OWNER
from simulator.web.base.caches import FROZEN_PANELS
from simulator.web.base.common import Moment
from simulator.web.run.panels import panel
from simulator.web.run.scenes import PanelScene, WorldScene

TOKEN_PLACE = f"token-{token_hex(16)}"


@dataclass(frozen=True)
class FrozenPanel:
    """A panel as it is kept, for a visitor."""

    request: HttpRequest
    text: SafeString

    def html(self) -> SafeString:
        """Its inner HTML with the visitor's own token, where it has a form."""
        return mark_safe(self.text.replace(TOKEN_PLACE, get_token(self.request))) if TOKEN_PLACE in self.text else self.text


def frozen_panel(request: HttpRequest, tab: str, scene: PanelScene, moment: Moment) -> FrozenPanel | None:
    """A panel that is made once; None for a run that goes on, or that its owner looks at, or of which only records tell.

    Raises StillComputing.
    """
    run = scene.run
    if not run.is_frozen or scene.role == OWNER or is_kept(run) or not isinstance(scene, WorldScene):
        return None
    of_run = (run.id, run.head_seq, scene.seq, scene.now_ms, scene.role, scene.is_live)
    asked = (moment.sel, moment.rec, moment.line, moment.did, moment.part, moment.pin_ms, moment.noise)
    return FrozenPanel(request, FROZEN_PANELS.of((tab, of_run, asked, get_language()), lambda: _made(tab, scene)))


def _made(tab: str, scene: WorldScene) -> SafeString:
    template, context = panel(tab, scene)
    return render_to_string(template, {"panel": context, **scene.frame(), "csrf_token": TOKEN_PLACE})
