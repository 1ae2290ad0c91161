"""No cache stores for others what belongs to one visitor."""

import pytest
from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver, reverse

from lifecycle_site.middleware import SecurityHeadersMiddleware
from simulator.runs.services.classrooms import classroom_open
from simulator.runs.services.shares import share_create
from tests.factories import OWNER, make_run
from tests.runs.services.test_sweeps import ask
from tests.web.helpers import play, sign_in_as_owner
from tests.web.test_security import VALUES

pytestmark = pytest.mark.django_db


@pytest.fixture
def addresses(stories):
    """Every address of the site, with existing objects, and some that lead nowhere."""
    run = play(make_run(), 10_000)
    share, sweep, room = share_create(run=run), ask(), classroom_open(owner_key=OWNER, address="school")
    values = VALUES | {"run_id": run.id, "other_id": run.id, "share_id": share.id, "sweep_id": sweep.id, "code": room.id}
    paths = [
        reverse(f"sim:{pattern.name}", kwargs={name: values[name] for name in pattern.pattern.converters})
        for pattern in get_resolver("simulator.web.urls").url_patterns
    ]
    url = f"http://testserver/s/{share.id}/"
    return [*paths, f"/oembed?url={url}", "/admin/", "/admin/login/", "/nothing/", "/s/nothing/", "/scenarios/?lang=zh-hans"]


def visitors():
    """A new browser, an owner who has chosen a language, and one of the staff."""
    owner, staff = Client(), Client()
    sign_in_as_owner(owner)
    owner.cookies["django_language"] = "zh-hans"
    owner.cookies["csrftoken"] = "a" * 32
    staff.force_login(get_user_model().objects.create_superuser("staff"))
    return [Client(), owner, staff]


def is_public(answer):
    control = answer.get("Cache-Control", "")
    return not any(word in control for word in ("private", "no-store"))


def body_of(answer):
    return b"".join(answer) if answer.streaming else answer.content


def test_what_a_cookie_has_a_say_in_is_kept_by_no_shared_cache(addresses):
    wrong, public, clients = {}, set(), visitors()
    for path in addresses:
        answers = [client.get(path, follow=False) for client in clients]
        if not any(is_public(answer) for answer in answers):
            continue
        public.add(path.split("?")[0].rstrip("/").rsplit("/", 1)[-1])
        reasons = [
            reason
            for reason, holds in {
                "sets a cookie": any(answer.cookies for answer in answers),
                "varies by cookie": any("cookie" in answer.get("Vary", "").lower() for answer in answers),
                "differs": len({(answer.status_code, body_of(answer)) for answer in answers}) > 1,
                "says nothing": any("Cache-Control" not in answer for answer in answers),
            }.items()
            if holds
        ]
        if reasons:
            wrong[path] = reasons
    assert wrong == {}
    assert {"card.png", "qr.svg"} <= public


@pytest.mark.parametrize("path", ["/sweeps/", "/new/", "/new/import/", "/x/", "/scenarios/", "/nothing/", "/oembed"])
def test_page_of_one_visitor_says_so(client, path):
    assert client.get(path)["Cache-Control"] == "private, no-cache"


def test_public_answer_that_sets_a_cookie_is_kept_for_nobody(rf):
    def view(request):
        response = HttpResponse("a", headers={"Cache-Control": "public, max-age=60"})
        response.set_cookie("a", "b")
        return response

    assert SecurityHeadersMiddleware(view)(rf.get("/"))["Cache-Control"] == "private, no-cache"
