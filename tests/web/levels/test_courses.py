"""Courses: text and links within this site, written by anybody."""

import pytest

from simulator.levels.courses import PARTS_MAX, TEXT_MAX, TITLE_MAX, CoursePart, read_course
from simulator.levels.reading import BadLevel
from simulator.models import SharedLevel
from simulator.runs.services.levels import course_share, level_share
from simulator.runs.services.shares import share_create
from simulator.web.base.stories import builtin_stories
from simulator.web.levels import course_pages
from tests.factories import make_run
from tests.web.helpers import sign_in_as_owner, text_of

TEXT = """# How pods end

First a story,
in two lines.
/scenarios/hello-pod/

[On your own](/l/abc/?x=1)
And a course:
/c/abc/
"""


def test_lines_become_paragraphs_and_links():
    course = read_course(TEXT)
    assert (course.title, course.parts) == (
        "How pods end",
        (
            CoursePart(text="First a story, in two lines."),
            CoursePart(link="/scenarios/hello-pod/"),
            CoursePart(text="On your own", link="/l/abc/?x=1"),
            CoursePart(text="And a course:"),
            CoursePart(link="/c/abc/"),
        ),
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "title"),
        ("# t\n\nNo link.", "at least one link"),
        ("# t\n\n/l/a/\n\n[x](javascript:alert(1))\n[x](javascript:alert)", "line 6"),
        ("# t\n/l/a/\n[x](https://elsewhere.example/l/a/)", "line 3"),
        ("# t\n/l/a/\nhttps://elsewhere.example/", "line 3"),
        ("# t\n/l/a/\n[x](/admin/)", "line 3"),
        ("# t\n/l/a/\n[x](//elsewhere.example/l/a/)", "line 3"),
        ("# t\n" + "/l/a/\n" * 400, "at most 300"),
        ("# t\n/l/a/\n" + "a" * 100_000, "64 kB"),
        ("# " + "t" * 500 + "\n/l/a/", "title"),
    ],
)
def test_what_is_not_a_course_is_refused_with_its_place(text, word):
    with pytest.raises(BadLevel) as caught:
        read_course(text)
    assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("t" * TITLE_MAX + "\n/l/a/", "t"),
        ("# t" + "\n/l/a/" * PARTS_MAX, "\n/l/a/"),
        ("# t\n/l/a/\n" + "ä" * ((TEXT_MAX - 10) // 2), "ä"),
    ],
)
def test_course_may_be_just_so_large(text, more):
    assert read_course(text)
    with pytest.raises(BadLevel):
        read_course(more + text if more == "t" else text + more)


def test_line_is_counted_from_the_beginning_of_the_text():
    with pytest.raises(BadLevel, match="line 5"):
        read_course("\n\n# t\n/l/a/\n[x](/admin/)")


@pytest.mark.django_db(transaction=True)
def test_course_is_a_link_with_the_titles_of_what_it_leads_to(client):
    sign_in_as_owner(client)
    text = "# My <b>course</b>\r\n\r\n<script>alert(1)</script>\r\nhttp://testserver/scenarios/hello-pod/"
    answer = client.post("/courses/new/", {"do": "share", "text": text})
    page = text_of(client.get(answer["location"]))
    assert 'href="/scenarios/hello-pod/"' in page and "My &lt;b&gt;course" in page and "<script>alert" not in page
    assert SharedLevel.objects.get().kind == "course"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("/scenarios/hello-pod/", builtin_stories()["hello-pod"].title),
        ("/scenarios/no-such/", "/scenarios/no-such/"),
        ("/levels/no-such/", "/levels/no-such/"),
        ("/l/nosuch/", "/l/nosuch/"),
        ("/s/nosuch/", "/s/nosuch/"),
        ("/c/nosuch/", "/c/nosuch/"),
    ],
)
def test_link_is_called_like_what_it_leads_to_or_by_its_address(link, text):
    assert course_pages._row(CoursePart(link=link)).text == text
    assert course_pages._row(CoursePart(link=link, text="Own")).text == "Own"


@pytest.mark.django_db(transaction=True)
def test_course_is_no_level_and_a_level_no_course(client):
    answer = client.post("/courses/new/", {"do": "share", "text": TEXT})
    course_id = answer["location"].split("/")[2]
    assert [client.get(f"/{place}/{course_id}/").status_code for place in ("c", "l")] == [200, 404]


@pytest.mark.django_db(transaction=True)
def test_course_with_problems_keeps_what_was_typed(client):
    answer = client.post("/courses/new/", {"do": "share", "text": "# A title\nbut nothing to do"})
    assert answer.status_code == 422 and "but nothing to do" in text_of(answer)


@pytest.mark.django_db(transaction=True)
def test_links_to_moments_and_courses_have_their_titles():
    share = share_create(run=make_run(title="A moment"))
    course = course_share(text=TEXT, title="A course")
    level = level_share(text=TEXT, title="A level")
    rows = [course_pages._row(CoursePart(link=link)) for link in (f"/s/{share.id}/", f"/c/{course.id}/", f"/c/{level.id}/")]
    assert [(row.text, str(row.kind)) for row in rows] == [("A moment", "shared moment"), ("A course", "course"), ("A level", "course")]
