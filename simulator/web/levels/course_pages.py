"""Courses: writing one, and its page."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from simulator.levels.courses import CoursePart, LevelCourse, read_course
from simulator.levels.reading import BadLevel
from simulator.models import SharedLevel, SharedScenario
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.levels import OWN, course_share
from simulator.web.base.levels import level_of_key, level_text
from simulator.web.base.stories import builtin_stories


@dataclass(frozen=True)
class CourseRow:
    """A paragraph, or a link with its title; ``kind`` is the kind of page it leads to, ``key`` a level's key."""

    text: str
    link: str = ""
    kind: str = ""
    key: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
def course_new(request: HttpRequest) -> HttpResponse:
    """Write a course, preview it, save it as a link."""
    typed = request.POST.get("text", "").replace("\r\n", "\n")
    # URLs of this site may be pasted in full.
    text = typed.replace(request.build_absolute_uri("/"), "/")
    course, problems = None, tuple[str, ...]()
    if request.method == "POST":
        try:
            course = read_course(text)
        except BadLevel as error:
            problems = error.problems
    if course is not None and request.POST.get("do") == "share":
        try:
            shared = course_share(text=text, title=course.title, address=address_hash_of(request), owner_key=owner_key(request))
            return redirect("sim:course", course_id=shared.id)
        except ServiceError as error:
            problems = (str(error),)
    context = {"text": typed, "problems": problems, "course": course, "rows": _rows(course) if course else []}
    return render(request, "levels/course_new.html", context, status=422 if problems else 200)


@require_safe
def course_detail(request: HttpRequest, course_id: str) -> HttpResponse:
    """A course's page."""
    shared = SharedLevel.objects.filter(id=course_id, kind=SharedLevel.Kind.COURSE).first()
    if shared is None:
        raise Http404
    try:
        course = read_course(shared.body)
    except BadLevel:
        raise Http404 from None
    return render(request, "levels/course.html", {"course": course, "rows": _rows(course), "text": shared.body})


def _rows(course: LevelCourse) -> list[CourseRow]:
    return [_row(part) if part.link else CourseRow(part.text) for part in course.parts]


def _row(part: CoursePart) -> CourseRow:
    """A link, with the title of its target if its author gave it none."""
    _empty, place, name, *_rest = part.link.split("/")
    title, kind, key = part.link, "", ""
    if place in ("l", "levels"):
        key = OWN + name if place == "l" else name
        level, kind = level_of_key(key), _("exercise")
        title = level_text(level, level.title) if level else title
    elif place == "scenarios":
        story, kind = builtin_stories().get(name), _("story")
        title = _(story.title) if story else title
    elif place == "s":
        kind, title = _("shared moment"), SharedScenario.objects.filter(id=name).values_list("title", flat=True).first() or title
    else:
        kind, title = _("course"), SharedLevel.objects.filter(id=name).values_list("title", flat=True).first() or title
    return CourseRow(part.text or title, part.link, kind, key)
