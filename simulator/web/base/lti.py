"""Shared parts of LTI 1.3: whether it is enabled, what is remembered about a launch, and grades.

The package pylti1p3 is optional, so it is imported where it is used.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

LAUNCHED = "podscope.lti"
"""The session key for launches: by the level's key, where to send the grade."""
LAUNCHED_MAX = 50
KEPT_FOR = timedelta(minutes=10)
"""How long a launch may take from its first step to the button that begins the level."""
PATIENCE_S = (3.05, 5.0)
"""Timeouts for connecting to a platform, and between two bytes of its response."""
ANSWER_S = 8.0
"""The limit for a platform that responds byte by byte, since a page worker is waiting for it."""
ANSWER_BYTES_MAX = 1_000_000
WAITING_MAX = 4
"""Concurrent requests to platforms; further ones wait in a queue, also for ANSWER_S."""

logger = logging.getLogger(__name__)


def lti_is_on() -> bool:
    """Whether this site has an LTI configuration and the package."""
    return bool(settings.SIM_LTI_CONFIG) and find_spec("pylti1p3") is not None


def lti_platforms() -> Any:
    """The configured platforms as pylti1p3 objects. Raises Http404 if LTI is off, and the errors of a broken file."""
    if not lti_is_on():
        raise Http404
    return import_module("pylti1p3.tool_config").ToolConfJsonFile(settings.SIM_LTI_CONFIG)


_ASKING = ThreadPoolExecutor(max_workers=WAITING_MAX, thread_name_prefix="lti")


def patient_session() -> Any:
    """An HTTP session for requests to platforms that raises TimeoutError after ANSWER_S."""
    session = import_module("requests").Session()
    whole = partial(_whole_answer, session.request)
    session.request = lambda *args, **more: _ASKING.submit(whole, *args, **more).result(timeout=ANSWER_S)
    return session


def _whole_answer(ask: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """A platform's response with its whole body. Raises ValueError if it is too large or too slow."""
    ends = monotonic() + ANSWER_S
    answer = ask(*args, **{**more, "timeout": PATIENCE_S, "stream": True})
    body = bytearray()
    for part in answer.iter_content(8192):
        body += part
        if len(body) > ANSWER_BYTES_MAX or monotonic() > ends:
            answer.close()
            raise ValueError("the answer of the platform is too long")
    answer._content = bytes(body)
    return answer


class LaunchStore:
    """Data kept between the steps of a launch, in the session table: the session's own cookie is not sent from other sites.

    Implements pylti1p3's ``LaunchDataStorage``. Reading a value removes it, so that nothing can be used twice.
    """

    def __init__(self) -> None:
        self._id = ""

    def set_request(self, request: Any) -> None:
        """Do nothing: the request is not needed."""

    def get_session_cookie_name(self) -> str:
        """The cookie that identifies the browser during a launch."""
        return "session-id"

    def get_session_id(self) -> str:
        """The browser's id."""
        return self._id

    def set_session_id(self, session_id: str) -> None:
        """Set the browser's id."""
        self._id = session_id

    def remove_session_id(self) -> None:
        """Clear the browser's id."""
        self._id = ""

    def can_set_keys_expiration(self) -> bool:
        """No: everything is kept for KEPT_FOR."""
        return False

    def set_value(self, key: str, value: Any, exp: int | None = None) -> None:
        """Store a value."""
        Session.objects.save(self._row(key), {"value": value}, timezone.now() + KEPT_FOR)

    def get_value(self, key: str) -> Any:
        """Take a value out; None if there is none."""
        rows = Session.objects.filter(session_key=self._row(key), expire_date__gt=timezone.now())
        found = rows.first()
        return found.get_decoded().get("value") if found is not None and rows.delete()[0] else None

    def check_value(self, key: str) -> bool:
        """Take a value out; return whether there was one."""
        return self.get_value(key) is not None

    def _row(self, key: str) -> str:
        return hashlib.sha256(f"lti {self._id} {key}".encode()).hexdigest()[:40]


def remember_launch(request: HttpRequest, key: str, launched: Mapping[str, Any]) -> None:
    """Remember in the browser's session where to send the grade of that level."""
    known = {**request.session.get(LAUNCHED, {})}
    known.pop(key, None)
    known[key] = dict(launched)
    request.session[LAUNCHED] = dict([*known.items()][-LAUNCHED_MAX:])


def grade_sent(request: HttpRequest, key: str, *, points: int, points_max: int) -> str:
    """Send the grade of a passed level to the platform that launched the session; return a message, empty if there was no launch."""
    launched = request.session.get(LAUNCHED, {}).get(key) if lti_is_on() else None
    if launched is None:
        return ""
    try:
        _send(launched, points=points, points_max=points_max)
    except Exception as error:  # the level is passed, whatever goes wrong with a platform or its configuration
        logger.warning("The grade of %s was not sent to %s: %s: %.200s", key, launched["issuer"], type(error).__name__, error)
        return _("Your grade could not be sent to your course. Check again to try once more.")
    return _("Your grade was sent to your course.")


def _send(launched: Mapping[str, Any], *, points: int, points_max: int) -> None:
    platform = lti_platforms().find_registration_by_params(launched["issuer"], launched["client"])
    connector = import_module("pylti1p3.service_connector").ServiceConnector(platform, patient_session())
    service = import_module("pylti1p3.assignments_grades").AssignmentsGradesService(connector, launched["endpoint"])
    grade = import_module("pylti1p3.grade").Grade()
    grade.set_score_given(points).set_score_maximum(points_max).set_timestamp(timezone.now().isoformat(timespec="milliseconds"))
    grade.set_activity_progress("Completed").set_grading_progress("FullyGraded").set_user_id(launched["user"])
    service.put_grade(grade)
