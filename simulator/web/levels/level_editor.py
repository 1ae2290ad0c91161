"""The level editor: write a level as fields or as TOML, from scratch or from a run; try it, share it, download it.

There is no state between requests: everything that was typed is sent with every button and comes back with the response.
"""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, quote
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from simulator.engine.kernel.bounded import milliseconds, whole_number
from simulator.engine.kernel.units import Ms
from simulator.levels.level import Level
from simulator.levels.picking import PickedRecord, free_id
from simulator.levels.places import line_of_problem
from simulator.levels.reading import TEXT_MAX, BadLevel, read_level, toml_of
from simulator.levels.rewriting import rewritten
from simulator.levels.start import start_of
from simulator.levels.trial import TRIAL_WORK, Trial, tried
from simulator.levels.words import reason
from simulator.levels.writing import inline_toml, lean, table_toml
from simulator.models import Run, SharedLevel
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.levels import OWN, is_level_owner, level_share
from simulator.scenarios.grading.check import CheckWord
from simulator.scenarios.grading.spans import span_text
from simulator.web.base.common import refusal, run_or_404
from simulator.web.base.guards import costly
from simulator.web.levels.level_form import FIELDS_MAX, LevelForm, form_of_post, form_of_table
from simulator.web.levels.level_source import RunRecords, level_table
from simulator.web.levels.level_stamp import problems_of, stamp_of
from simulator.web.levels.picks import PAIRS, LanePick, part_of_pick
from simulator.web.presenters import clock_text, said, seconds_text
from simulator.web.run.level_card import level_address

FORM, TEXT = "form", "text"
_NEW = {
    "check": {"word": "eventually"},
    "ask": {"within": "60s"},
    "hint": {},
    "solution": {"expect": "fail"},
    "happens": {"more": 'at = "30s"\ndo = ""\n'},
}


@dataclass
class LevelDraft:
    """A level that is being written. ``at_ms`` is where it begins in its run, ``first`` the first record of a pair being picked.

    ``text`` is the level as TOML; while it is edited as a form, the text that the form was filled from, since comments have no field.

    ``taken`` is how many picks from the lanes were just added. ``stamp`` signs the findings of the last trial, and ``is_asked`` says
    whether the page asks if the level should be saved anyway.
    """

    mode: str = FORM
    form: LevelForm = field(default_factory=LevelForm)
    text: str = ""
    run: Run | None = None
    at_ms: Ms = 0
    first: int = 0
    query: str = ""
    within: str = "30"
    problems: tuple[str, ...] = ()
    told: str = ""
    taken: int = 0
    trial: Trial | None = None
    stamp: str = ""
    is_asked: bool = False

    def table(self) -> dict[str, Any]:
        """The level's table. Raises BadLevel."""
        return toml_of(self.text) if self.mode == TEXT else self.form.table()

    def toml(self) -> str:
        """Its text: as typed, or the one that the form was filled from with the values of the fields. Raises BadLevel."""
        return self.text if self.mode == TEXT else _written(self.form.table(), self.text)

    def level(self) -> Level:
        """The level. Raises BadLevel, also if it has no beginning. Costs a check of its manifests."""
        level = read_level(self.toml())
        start_of(level, seed=level.seeds[0])
        return level

    def play(self, level: Level) -> Trial:
        """Try this draft's level, and remember the findings. Raises BadLevel."""
        self.trial = tried(level, work=TRIAL_WORK)
        self.stamp = stamp_of(self.toml(), self.trial.problems)
        return self.trial

    def ids(self) -> list[str]:
        """The names of its checks and predictions. Raises BadLevel."""
        table = self.table()
        return [str(row.get("id")) for part in ("check", "ask") for row in _rows(table, part) if isinstance(row, dict)]

    def add(self, part: str, row: dict[str, Any]) -> None:
        """Append a table to its array. Raises BadLevel."""
        table = self.table()
        if self.mode == FORM:
            self.fill({**table, part: [*_rows(table, part), row]})
        elif isinstance(table.get(part, []), list):
            # After the typed text, which is left unchanged, including comments.
            self.text = f"{self.text.rstrip()}\n\n{table_toml({part: [row]}).lstrip()}"

    def fill(self, table: dict[str, Any]) -> None:
        """Show this table: as fields, or as text if it has too many for a form."""
        self.form = form_of_table(table)
        self.mode = FORM if self.form.size <= FIELDS_MAX else TEXT
        if self.mode == TEXT:
            self.text = _written(table, self.text)


def _rows(table: dict[str, Any], part: str) -> list[Any]:
    rows = table.get(part, [])
    return rows if isinstance(rows, list) else []


def _written(table: dict[str, Any], source: str) -> str:
    try:
        return rewritten(source, table)
    except TypeError as error:
        raise BadLevel(str(error)) from None


@costly("POST")
@require_http_methods(["GET", "HEAD", "POST"])
def level_new(request: HttpRequest) -> HttpResponse:
    """A level from scratch."""
    draft = _sent(request, None) if request.method == "POST" else LevelDraft(form=LevelForm(head={"horizon": "120s", "seeds": "42, 7"}))
    return _answer(request, draft)


@costly()
@require_http_methods(["GET", "HEAD", "POST"])
def run_level_new(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """A level that begins like a run, or at its moment ``t``, from this URL or from that of the run's page that led here."""
    run = run_or_404(run_id)
    if request.method == "POST" and "mode" in request.POST:
        return _answer(request, _sent(request, run))
    draft = LevelDraft(run=run, at_ms=min(_start_ms(request, run), run.head_ms))
    draft.fill(_table_of_run(draft))
    return _answer(request, draft)


def _start_ms(request: HttpRequest, run: Run) -> Ms:
    """The moment from the referring page's URL: a run's page keeps the current moment there, while its links have the initial one."""
    text = request.POST.get("t", request.GET.get("t"))
    if text is None:
        page = reverse("sim:run", args=[run.id])
        _site, _path, query = request.headers.get("Referer", "")[:2000].partition(f"{page}?")
        text = parse_qs(query).get("t", [""])[0]
    return milliseconds(text, most=settings.SIM_RUN_MS_MAX) or 0


@costly()
@require_http_methods(["GET", "HEAD", "POST"])
def own_level_edit(request: HttpRequest, level_id: str) -> HttpResponse:
    """Edit a level that this browser shared: the result gets its own link."""
    shared = _own_or_404(level_id)
    if not is_level_owner(shared, known_key(request)):
        text = _("The file of a level contains its solutions, so only the browser that shared it can open it here.")
        return refusal(request, text, status=403, back=level_address(OWN + level_id))
    if request.method == "POST":
        return _answer(request, _sent(request, None))
    draft = LevelDraft(text=shared.body)
    try:
        draft.fill(toml_of(shared.body))
    except BadLevel as error:
        draft.mode, draft.problems = TEXT, error.problems
    return _answer(request, draft)


@require_safe
def own_level_file(request: HttpRequest, level_id: str) -> HttpResponse:
    """The file of a level that this browser shared."""
    shared = _own_or_404(level_id)
    if not is_level_owner(shared, known_key(request)):
        text = _("The file of a level contains its solutions, so only the browser that shared it can open it here.")
        return refusal(request, text, status=403, back=level_address(OWN + level_id))
    return _file(shared.body, shared.title)


def _own_or_404(level_id: str) -> SharedLevel:
    shared = SharedLevel.objects.filter(id=level_id, kind=SharedLevel.Kind.LEVEL).first()
    if shared is None:
        raise Http404
    return shared


def _sent(request: HttpRequest, run: Run | None) -> LevelDraft:
    """The draft sent by the page."""
    post = request.POST
    return LevelDraft(
        mode=TEXT if post.get("mode") == TEXT else FORM,
        form=form_of_post(post),
        text=post.get("text", "").replace("\r\n", "\n"),
        run=run,
        at_ms=min(milliseconds(post.get("t", ""), most=settings.SIM_RUN_MS_MAX) or 0, run.head_ms) if run else 0,
        first=whole_number(post.get("first", "")) or 0,
        query=post.get("q", "")[:100],
        within=post.get("seconds", "")[:10],
        stamp=post.get("stamp", "")[:20_000],
    )


def _answer(request: HttpRequest, draft: LevelDraft) -> HttpResponse:
    """Carry out the pressed button, then show the page."""
    do, _colon, which = request.POST.get("do", "").partition(":") if request.method == "POST" else ("", "", "")
    records = RunRecords(draft.run) if draft.run is not None else None
    try:
        done = _done(request, draft, do, which, records)
    except BadLevel as error:
        draft.problems, done = error.problems, None
    except ServiceError as error:
        draft.problems, done = (str(error),), None
    family = request.POST.get("family", "")[:100]
    return done or render(request, "levels/edit.html", _context(draft, records, family), status=422 if draft.problems else 200)


def _done(request: HttpRequest, draft: LevelDraft, do: str, which: str, records: RunRecords | None) -> HttpResponse | None:
    """Carry out a button on the draft. Returns a response if that leaves the page. Raises BadLevel."""
    if do == "share":
        return _saved(request, draft, anyway=which == "anyway")
    if do == "file":
        return _file(draft.toml(), draft.level().title)
    if do == "try":
        draft.play(draft.level())
    elif do == TEXT:
        draft.text, draft.mode = draft.toml(), TEXT
    elif do == FORM:
        draft.fill(draft.table())
        if draft.mode == TEXT:
            raise BadLevel(_("This level has too many fields for a form. Edit it as text."))
    elif do == "open":
        _open(request, draft)
    elif do == "start" and draft.run is not None:
        _move_start(draft)
    elif do == "picks":
        _take_picks(draft, request.POST.get("picks", ""))
    elif do in ("add", "drop") and draft.mode == FORM:
        _change_rows(draft.form, do, which)
    elif records is not None:
        _pick(draft, records, do, which)
    return None


def _saved(request: HttpRequest, draft: LevelDraft, *, anyway: bool) -> HttpResponse | None:
    """Save the level as a link. If its trial found problems, the page shows them first; ``anyway`` confirms them."""
    level, text = draft.level(), draft.toml()
    problems = problems_of(draft.stamp, text)
    if problems is None or (problems and not anyway):
        problems = draft.play(level).problems
        if problems:
            draft.is_asked = True
            return None
    author = {"address": address_hash_of(request), "owner_key": owner_key(request)}
    shared = level_share(text=text, title=level.title, problems=problems, **author)
    return redirect("sim:own-level", level_id=shared.id)


def _file(text: str, title: str) -> HttpResponse:
    answer = HttpResponse(text, content_type="application/toml; charset=utf-8")
    answer["Content-Disposition"] = f"attachment; filename=\"level.toml\"; filename*=UTF-8''{quote(title[:60], safe='')}.toml"
    answer["Cache-Control"] = "private, no-cache"
    return answer


def _open(request: HttpRequest, draft: LevelDraft) -> None:
    """Replace the draft with an uploaded file."""
    upload = request.FILES.get("upload")
    if upload is None:
        raise BadLevel(_("Choose a file."))
    if (upload.size or 0) > TEXT_MAX:
        raise BadLevel(_("A level can have at most %(most)d kB of text.") % {"most": TEXT_MAX // 1024})
    text = upload.read().decode("utf-8", "replace").replace("\r\n", "\n")
    draft.mode, draft.text = TEXT, text
    draft.fill(toml_of(text))
    draft.mode, draft.text = TEXT, text


def _table_of_run(draft: LevelDraft) -> dict[str, Any]:
    assert draft.run is not None
    return level_table(draft.run, draft.at_ms, names=(_("As in the run"), _("Another branch")))


def _move_start(draft: LevelDraft) -> None:
    """Move the beginning to another moment of the run; title, checks and texts stay."""
    fresh, table = _table_of_run(draft), draft.table()
    kept = {name: value for name, value in table.items() if name not in ("story", "scenario", "manifests", "solution", "horizon")}
    draft.fill({**kept, **{name: value for name, value in fresh.items() if name not in ("title", "seeds")}})
    draft.told = _("The level now begins at %(at)s; the solutions are those of the run from there on.") % {"at": clock_text(draft.at_ms)}


def _change_rows(form: LevelForm, do: str, which: str) -> None:
    part, _colon, number = which.partition("-")
    rows = form.parts.get(part)
    n = whole_number(number or "0", most=200)
    if rows is None or n is None:
        return
    if do == "drop" and n < len(rows):
        del rows[n]
    elif do == "add":
        if form.size > FIELDS_MAX:
            raise BadLevel(_("This level has too many fields for a form. Edit it as text."))
        rows.append({**_NEW[part], **({"id": f"{part}-{len(rows) + 1}"} if part in ("check", "ask") else {})})


def _pick(draft: LevelDraft, records: RunRecords, do: str, which: str) -> None:
    """Add what the author picked to the level. Raises BadLevel."""
    picked = records.picked(whole_number(which) or 0)
    if do == "unfirst":
        draft.first = 0
    elif do == "first" and picked is not None:
        draft.first = picked.record.seq
    elif picked is not None and (made := part_of_pick(_pick_of(draft, do, picked), records, taken=draft.ids(), start_ms=draft.at_ms)):
        draft.add(*made)
        draft.first = 0
        draft.told = _("Added: %(text)s") % {"text": made[1].get("text") or made[1].get("question") or ""}


def _pick_of(draft: LevelDraft, do: str, picked: PickedRecord) -> LanePick:
    """The pick made by a button next to a record, possibly with the record chosen before."""
    seq = picked.record.seq
    if do not in PAIRS:
        return LanePick(do=do, seq=seq)
    return LanePick(do=do, seq=draft.first, then=seq, within_ms=1000 * (whole_number(draft.within) or 0))


def _take_picks(draft: LevelDraft, text: str) -> None:
    """Append checks and predictions that were collected on the lanes. Raises BadLevel."""
    table = toml_of(text)
    added = 0
    for part in ("check", "ask"):
        rows = table.get(part, [])
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict):
                draft.add(part, {**row, "id": free_id(str(row.get("id", part))[:36], draft.ids()), **_scope_of(row, part, draft.at_ms)})
                added += 1
    draft.taken = added
    draft.told = ngettext("%(n)d pick from the lanes is now below.", "%(n)d picks from the lanes are now below.", added) % {"n": added}


def _scope_of(row: dict[str, Any], part: str, at_ms: Ms) -> dict[str, Any]:
    """The default scope of a check, which begins with the level."""
    return {"from": span_text(at_ms)} if part == "check" and at_ms and "from" not in row and "at" not in row else {}


def _context(draft: LevelDraft, records: RunRecords | None, family: str) -> dict[str, Any]:
    shown, count = records.shown(from_ms=draft.at_ms, query=draft.query) if records else ([], 0)
    first = records.picked(draft.first) if records else None
    return {
        "draft": draft,
        "run": draft.run,
        "is_text": draft.mode == TEXT,
        "start_s": seconds_text(draft.at_ms),
        "words": _word_labels(),
        "records": [_record_row(picked) for picked in shown],
        "count": count,
        "first": _record_row(first) if first else None,
        "has_records": records is not None,
        "trial": _trial_rows(draft.trial) if draft.trial else None,
        "title": draft.form.head.get("title", ""),
        "family": family,
        "problems": [{"text": text, "line": line_of_problem(draft.text, text) if draft.mode == TEXT else 0} for text in draft.problems],
    }


def _record_row(picked: PickedRecord) -> dict[str, Any]:
    record = picked.record
    return {"seq": record.seq, "at": clock_text(record.at_ms), "text": picked.text, "pattern": inline_toml(lean(picked.pattern))}


def _word_labels() -> list[tuple[str, str]]:
    return [
        (CheckWord.EVENTUALLY.value, _("must happen")),
        (CheckWord.NEVER.value, _("must not happen")),
        (CheckWord.ORDER.value, _("must happen before")),
        (CheckWord.ALWAYS.value, _("must be true all the time")),
        (CheckWord.AT_MOST.value, _("may happen at most so many times (times)")),
        (CheckWord.LASTS.value, _("may last at most so long (max)")),
    ]


def _trial_rows(trial: Trial) -> dict[str, Any]:
    """A trial in the form of its table."""
    rows = [
        {
            "name": attempt.solution.name,
            "is_nothing": not attempt.solution.acts,
            "seed": attempt.played.seed,
            "passed": attempt.played.passed,
            "problem": attempt.problem,
            "forbidden": ", ".join(dict.fromkeys(attempt.played.forbidden)),
            "checks": [
                {
                    "id": check.id,
                    "verdict": result.verdict.value,
                    "at": "" if result.at_ms is None else clock_text(result.at_ms),
                    "reason": reason(check, result, attempt.played.records, told=said),
                }
                for check, result in zip(trial.level.checks, attempt.played.result.checks, strict=True)
            ],
        }
        for attempt in trial.attempts
    ]
    return {"rows": rows, "problems": trial.problems, "advice": trial.advice, "ok": trial.ok}
