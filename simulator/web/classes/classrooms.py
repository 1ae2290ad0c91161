"""Open, join and end classes. The leader moves a class through its socket (runs/live/class_socket.py)."""

from collections.abc import Callable
from functools import wraps
from math import ceil
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from lifecycle_site.visitors import visitor_of
from simulator.engine.kernel.outside_text import one_line
from simulator.models import ClassMember, Classroom
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.selectors.class_guesses import Guessed, classroom_joined, classroom_known
from simulator.runs.selectors.class_wall import ask_of, is_here, member_of, members_of, vote_of
from simulator.runs.selectors.classrooms import classroom_led
from simulator.runs.services.class_code import TYPED_MAX, code_of
from simulator.runs.services.class_wall import member_join
from simulator.runs.services.classrooms import classroom_end, classroom_open, place_of
from simulator.runs.services.errors import ServiceError
from simulator.web.base.common import refusal, wants_fragment
from simulator.web.base.qr import qr_svg
from simulator.web.classes.wall import ask_rounds

View = Callable[..., HttpResponse]


def guess_limited(view: View) -> View:
    """Make a view answer 429 if the visitor has tried too many codes that do not exist."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Guessed as guessed:
            text = _("Too many invalid codes were tried from your address. Try again in %(seconds)d seconds.")
            wait_s = ceil(guessed.wait_s)
            return refusal(request, text % {"seconds": wait_s}, status=429, back="/class/", retry_after_s=wait_s)

    return answered


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@guess_limited
def class_list(request: HttpRequest) -> HttpResponse:
    """The page to join a class by its code, or to open one: with ``from``, the address of a run or link, it begins there.

    The form for joining is posted, since it may contain a name; a link with just the code joins without one.
    """
    if request.method == "POST":
        return _joining(request) if "code" in request.POST else _opened(request)
    typed = one_line(request.GET.get("code", ""), most=TYPED_MAX)
    room = _joined(request, typed)
    if room is not None:
        return redirect("sim:class", code=room.id)
    begin = place_of(request.GET.get("from", ""))
    led = classroom_led(known_key(request))
    if led is not None and request.GET.get("class") != led.id:  # the page's script keeps the code for this tab
        kept = {name: value for name, value in (("code", typed), ("from", begin)) if value}
        return redirect(f"/class/?{urlencode({**kept, 'class': led.id})}")
    context: dict[str, object] = {"led": led, "link": _link(request, led) if led else "", "typed": typed, "begin": begin}
    if led is not None:
        members = members_of(led)
        context |= {"members": [(member.name, is_here(member)) for member in members]}
    return render(request, "classrooms/list.html", context, status=404 if typed else 200)


def _joining(request: HttpRequest) -> HttpResponse:
    """Join by code, and with a name if one was given."""
    typed = one_line(request.POST["code"], most=TYPED_MAX)
    room = _joined(request, typed)
    if room is None:
        return render(request, "classrooms/list.html", {"typed": typed}, status=404)
    name = request.POST.get("name", "")
    if name.strip():
        try:
            member_join(room=room, owner_key=owner_key(request), name=name, address=address_hash_of(request))
        except ServiceError as error:
            return refusal(request, str(error), back="/class/")
    return redirect("sim:class", code=room.id)


def _opened(request: HttpRequest) -> HttpResponse:
    path = request.POST.get("path", "")[:120]
    try:
        room = classroom_open(owner_key=owner_key(request), address=address_hash_of(request), path=path)
    except ServiceError as error:
        return refusal(request, str(error), back="/class/")
    classroom_known(room.id, visitor=visitor_of(request))
    return redirect(_place(room)) if path else redirect("sim:classes")


@require_safe
@never_cache
@guess_limited
def class_detail(request: HttpRequest, code: str) -> HttpResponse:
    """Join a class: go to its teacher's page, which then follows; or to a waiting page while the teacher is not on one."""
    room = _joined(request, code)
    if room is None:
        return render(request, "classrooms/list.html", {"typed": code[:TYPED_MAX]}, status=404)
    if wants_fragment(request):
        # The waiting page polls every few seconds; a 204 leaves it as it is.
        if room.path:
            return HttpResponseClientRedirect(_place(room))
        is_news = request.GET.get("news", str(room.news)) != str(room.news)
        return HttpResponseClientRefresh() if is_news else HttpResponse(status=204)
    if room.path:
        return redirect(_place(room))
    return render(request, "classrooms/waiting.html", _waiting(room, member_of(room, known_key(request))))


def _waiting(room: Classroom, member: ClassMember | None) -> dict[str, Any]:
    """What a pupil sees while the teacher has no run open: the level that everybody was sent to, and the vote."""
    ask = ask_of(room)
    return {
        "room": room,
        "member": member,
        "ask": ask,
        "mine": vote_of(ask, member) if ask and member else None,
        "rounds": ask_rounds(ask) if ask and not ask.is_open else [],
    }


@require_safe
@guess_limited
def class_qr(request: HttpRequest, code: str) -> HttpResponse:
    """The link of a class as a QR code."""
    room = _joined(request, code)
    if room is None:
        raise Http404
    return HttpResponse(qr_svg(_link(request, room)), content_type="image/svg+xml")


@require_POST
def class_end(request: HttpRequest, code: str) -> HttpResponse:
    """End the class that this browser leads."""
    try:
        classroom_end(code=code_of(code), owner_key=known_key(request))
    except ServiceError as error:
        return refusal(request, str(error), back="/class/", status=403)
    return redirect("sim:classes")


def _joined(request: HttpRequest, typed: str) -> Classroom | None:
    return classroom_joined(code_of(typed), visitor=visitor_of(request), key=known_key(request))


def _place(room: Classroom) -> str:
    """The URL of the teacher's page and moment, with the code for the page's script."""
    return f"{room.path}?{room.query}{'&' if room.query else ''}class={room.id}"


def _link(request: HttpRequest, room: Classroom) -> str:
    return request.build_absolute_uri(f"/class/{room.id}/")
