"""Bring your own pod: find out what is wrong with it, and start a run from what a real cluster has shown.

``do=ask`` reports problems with the pods in the text, even if it cannot be imported, such as describe output. ``do=look`` imports it and
also shows what would be assumed. Neither stores anything; sending the same text again, with behaviours changed if necessary, makes the run.
The seed is random unless given, as for other runs.
"""

import secrets
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from simulator import imports
from simulator.imports.build import PAST_MS_MAX, Imported, import_text, manifests_of
from simulator.kubectl.yaml import to_yaml
from simulator.remedies.trouble import examined
from simulator.runs.log.content import Content, Source
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.runs import run_create
from simulator.web.base.guards import costly
from simulator.web.base.problems import problem_rows
from simulator.web.base.remedy_rows import trouble_row
from simulator.web.gallery.import_forms import Blocks, ImportForm


@cache
def example() -> str:
    """A text to try the page with: a pod that keeps running out of memory."""
    return (Path(imports.__file__).parent / "example.yaml").read_text(encoding="utf-8")


@costly("POST")
@require_http_methods(["GET", "HEAD", "POST"])
def import_run(request: HttpRequest) -> HttpResponse:
    """Start a run from kubectl's output. ``do=ask`` and ``do=look`` only report; problems give a 422 with their lines."""
    if request.method != "POST":
        initial = {"text": example()} if "example" in request.GET else {}
        return render(request, "scenarios/import.html", {"form": ImportForm(initial=initial), "problems": []})
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(request, "scenarios/import.html", {"form": form, "problems": []}, status=422)
    fields = form.cleaned_data
    imported = import_text(
        fields["text"],
        kubernetes=fields["kubernetes"],
        now_ms=fields["moment"],
        seed=fields["seed"] if fields["seed"] is not None else secrets.randbelow(1_000_000),
        blocks=fields["behaviours"],
        # Half of a run's maximum length is reserved for the time after the import.
        past_ms_max=min(PAST_MS_MAX, settings.SIM_RUN_MS_MAX // 2),
    )
    if not imported.ok or request.POST.get("do") in ("ask", "look"):
        return _form_again(request, form, imported)
    try:
        title = imported.title or _("Imported pod")
        run = run_create(content=content_of(imported), title=title, owner_key=owner_key(request), address=address_hash_of(request))
    except ServiceError as error:
        form.add_error(None, str(error))
        return _form_again(request, form, imported)
    return redirect("sim:run", run_id=run.id)


def content_of(imported: Imported) -> Content:
    """The content of an import, whose clock starts at the moment of import. The pasted text itself is not stored."""
    assert imported.header is not None
    return Content(header=imported.header, source=Source(manifests=manifests_of(imported.header)), until_ms=imported.resume_ms)


def _form_again(request: HttpRequest, form: ImportForm, imported: Imported) -> HttpResponse:
    """The form again, with the pods' problems, and its own problems or the import's assumptions, which can then be changed."""
    text = form.cleaned_data["text"]
    data: dict[str, Any] = {name: form.data.get(name, "") for name in form.fields}
    data["text"] = text
    if imported.ok and not str(data.get("behaviours") or "").strip():
        data["behaviours"] = _behaviours(imported)
    # A new form, because a bound one can only show the values that were sent.
    again = ImportForm(data)
    again.is_valid()
    for error in form.non_field_errors():
        again.add_error(None, error)
    found = examined(text)
    is_asked = request.POST.get("do") == "ask" and bool(found.troubles or found.well)
    rows = problem_rows(imported.problems, text)
    context: dict[str, Any] = {
        "form": again,
        "troubles": [trouble_row(trouble) for trouble in found.troubles],
        "well": found.well,
        "problems": rows if not imported.ok and not is_asked else [],
        "notes": rows if imported.ok else [],
        "is_ok": imported.ok,
        "imported": imported if imported.ok and not is_asked else None,
        "assumed": [(key, entry) for key, entries in imported.assumed.items() for entry in entries],
    }
    return render(request, "scenarios/import.html", context, status=200 if imported.ok or is_asked else 422)


def _behaviours(imported: Imported) -> str:
    """The assumed blocks as YAML, for editing."""
    found: Blocks = {}
    for key, entries in imported.assumed.items():
        blocks = {entry.container: entry.block for entry in entries if entry.block is not None}
        if blocks:
            found[key.partition("/")[2]] = blocks
    return to_yaml(found) if found else ""
