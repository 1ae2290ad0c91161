"""Export and import a scenario as a file or as a self-contained link; and everything that can be done with a link.

A file and a self-contained link have the same JSON. In a link it is compressed into the fragment, which browsers do not
send, so the content reaches the server only when the reader presses the button.
"""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from simulator.models import Run
from simulator.runs.log.content import Content
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.selectors.scenarios import scenario_get
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.runs import run_create
from simulator.runs.services.shares import content_so_far
from simulator.scenarios.links import TAG, BadLink, unpacked
from simulator.scenarios.portable import TEXT_MAX, BadFile, Limits, file_text, read_file
from simulator.web.base.common import LOOK, Moment, moment_of, run_or_404, share_or_404, wants_fragment
from simulator.web.base.fields import UploadField
from simulator.web.base.guards import costly
from simulator.web.base.moment_form import MomentForm
from simulator.web.base.qr import LENGTH_MAX, qr_svg
from simulator.web.shares.embeds import CONTROLS, THEMES

SIZES = ((960, 540), (720, 405), (480, 300))
"""The sizes offered for a frame, in CSS pixels."""


class OpenForm(forms.Form):
    """A scenario as a file, or pasted as text or as a self-contained link. The file takes precedence."""

    upload = UploadField(label=gettext_lazy("A file"), accept=".json,application/json")
    text = forms.CharField(
        label=gettext_lazy("Or a link, or the contents of a file"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off", "class": "textarea"}),
    )

    def clean(self) -> dict[str, Any]:
        """Put the content into ``text``."""
        fields = super().clean() or {}
        upload = fields.get("upload")
        if upload is not None and upload.size > TEXT_MAX:
            raise forms.ValidationError(_("The file is too large: at most 2 MB."))
        if upload is not None:
            fields["text"] = upload.read().decode("utf-8", "replace")
        if not (fields.get("text") or "").strip():
            raise forms.ValidationError(_("Choose a file or paste a link."))
        return fields


@costly("POST")
@require_http_methods(["GET", "HEAD", "POST"])
def open_scenario(request: HttpRequest) -> HttpResponse:
    """Start a run from a file or a link. A link's fragment stays in the browser until the reader presses the button."""
    if request.method != "POST":
        return render(request, "scenarios/open.html", {"form": OpenForm(), "problems": []})
    form = OpenForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(request, "scenarios/open.html", {"form": form, "problems": []}, status=422)
    try:
        content, title = _read(form.cleaned_data["text"])
        run = _opened(request, content, title)
    except BadFile as error:
        return render(request, "scenarios/open.html", {"form": form, "problems": error.problems}, status=422)
    except (BadLink, ServiceError) as error:
        return render(request, "scenarios/open.html", {"form": form, "problems": [str(error)]}, status=422)
    return redirect("sim:run", run_id=run.id)


def _read(text: str) -> tuple[Content, str]:
    limits = Limits(commands_max=settings.SIM_COMMANDS_PER_RUN_MAX, until_ms_max=settings.SIM_RUN_MS_MAX)
    return read_file(text if text.lstrip().startswith("{") else unpacked(text), limits)


def _opened(request: HttpRequest, content: Content, title: str) -> Run:
    return run_create(
        content=content,
        title=title or _("Opened scenario"),
        owner_key=owner_key(request),
        address=address_hash_of(request),
        scenario=scenario_get(content.header.scenario) if content.header.scenario else None,
    )


@costly()
@require_safe
def run_file(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """A run so far as a file; with ``line`` on one line, as in links."""
    run = run_or_404(run_id)
    return _download(request, content_so_far(run), run.title)


@costly()
@require_safe
def share_file(request: HttpRequest, share_id: str) -> HttpResponse:
    """A link's content as a file."""
    share = share_or_404(share_id)
    return _download(request, share.content(), share.title)


def _download(request: HttpRequest, content: Content, title: str) -> HttpResponse:
    text = file_text(content, title=_(title) if title else "", indent=0 if "line" in request.GET else 2)
    response = HttpResponse(text, content_type="application/json")
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "scenario"
    response["Content-Disposition"] = f"attachment; filename=\"{plain}.podscope.json\"; filename*=UTF-8''{quote(title[:60])}.podscope.json"
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
def share_qr(request: HttpRequest, share_id: str) -> HttpResponse:
    """The QR code of a link at a moment; if that does not fit, without the view of the lanes, or with only the time."""
    share = share_or_404(share_id)
    asked = request.GET.get("lang", "")
    view, moment = _view_of(request, asked if asked in dict(settings.LANGUAGES) else ""), moment_of(request)
    # From the most complete to the shortest: the first that fits is used.
    links = [_link(request, share.id, each) for each in (view, moment, Moment(t_ms=moment.t_ms))]
    link = next((link for link in links if len(link) <= LENGTH_MAX), links[-1])
    response = HttpResponse(qr_svg(link), content_type="image/svg+xml")
    response["Cache-Control"] = "public, max-age=86400"
    return response


@require_safe
def share_ways(request: HttpRequest, share_id: str) -> HttpResponse:
    """Everything that can be done with a link: copy it, show it as a QR code, embed it, save it as a picture or a file."""
    share = share_or_404(share_id)
    moment = _view_of(request, get_language() or "")
    query = moment.query()
    link, frame = _link(request, share.id, moment), request.build_absolute_uri(reverse("sim:embed", args=[share.id]) + query)
    context = {
        "share": share,
        "query": query,
        "link": link,
        "frame": frame,
        "has_code": len(link) <= LENGTH_MAX,
        "sizes": SIZES,
        "controls": CONTROLS,
        "themes": THEMES,
        "open_url": request.build_absolute_uri(reverse("sim:open")),
        "tag": TAG,
    }
    template = "shares/partials/_ways.html" if wants_fragment(request) else "shares/ways.html"
    return render(request, template, context)


def _link(request: HttpRequest, share_id: str, moment: Moment) -> str:
    return request.build_absolute_uri(reverse("sim:share", args=[share_id]) + moment.query())


def _view_of(request: HttpRequest, lang: str) -> Moment:
    """The moment in a URL, with the view of its lanes; invalid parts are ignored."""
    form = MomentForm(request.GET)
    form.is_valid()
    look = tuple((name, form.cleaned_data.get(name) or "") for name in LOOK)
    return replace(moment_of(request), look=look, lang=lang)
