"""The page for failures of the engine: recognised by the type of the error, never by where it was raised."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from simulator.engine.kernel.errors import EngineFailed
from simulator.web.base.common import UnplayableMiddleware
from tests.web.helpers import text_of


def answered(error):
    request = RequestFactory().get("/r/x/")
    return UnplayableMiddleware(lambda _request: HttpResponse()).process_exception(request, error)


@pytest.mark.django_db
def test_course_that_cannot_be_played_is_reported_with_a_message():
    answer = answered(EngineFailed("KeyError: 'nonsense'"))
    assert answer.status_code == 422 and "or the engine has a bug" in text_of(answer)


def test_error_that_has_only_passed_through_the_step_is_not_blamed_on_the_run():
    passing = {"__name__": "simulator.engine.course.step"}
    exec("def view():\n    raise LookupError('a fault of the page')", passing)  # noqa: S102
    with pytest.raises(LookupError) as caught:
        passing["view"]()
    assert answered(caught.value) is None
