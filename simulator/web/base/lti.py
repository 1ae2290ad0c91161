"""What LTI 1.3 needs in more than one place: whether it is on, what is kept of a launch, and grades.

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
"""Where a session keeps what it was launched for: by the key of the level, where to send the grade."""
LAUNCHED_MAX = 50
KEPT_FOR = timedelta(minutes=10)
"""So long a launch may take from its first step to the button that begins the level."""
PATIENCE_S = (3.05, 5.0)
"""To connect to a platform, and between two bytes of its answer."""
ANSWER_S = 8.0
"""A platform that answers byte by byte is left after so long: a page worker waits for it meanwhile."""
ANSWER_BYTES_MAX = 1_000_000
WAITING_MAX = 4
"""So many answers of platforms are waited for at a time; who comes meanwhile waits in a queue, for ANSWER_S as well."""

logger = logging.getLogger(__name__)


def lti_is_on() -> bool:
    """Whether this site has a configuration and the package."""
    return bool(settings.SIM_LTI_CONFIG) and find_spec("pylti1p3") is not None


def lti_platforms() -> Any:
    """The platforms of the configuration, as pylti1p3 knows them. Raises Http404 where LTI is off, and what a broken file raises."""
    if not lti_is_on():
        raise Http404
    return import_module("pylti1p3.tool_config").ToolConfJsonFile(settings.SIM_LTI_CONFIG)


_ASKING = ThreadPoolExecutor(max_workers=WAITING_MAX, thread_name_prefix="lti")


def patient_session() -> Any:
    """Asks platforms over HTTP, but never for longer than ANSWER_S. What it is asked then raises TimeoutError."""
    session = import_module("requests").Session()
    whole = partial(_whole_answer, session.request)
    session.request = lambda *args, **more: _ASKING.submit(whole, *args, **more).result(timeout=ANSWER_S)
    return session


def _whole_answer(ask: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """An answer of a platform with its body, which is small. Raises ValueError for a large one."""
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
    """What is kept between the steps of a launch, in the table of sessions: the session's own cookie is not sent by other sites.

    Stands for ``LaunchDataStorage`` of pylti1p3. What is looked for is taken out, so that nothing can be used twice.
    """

    def __init__(self) -> None:
        self._id = ""

    def set_request(self, request: Any) -> None:
        """Nothing of it is needed."""

    def get_session_cookie_name(self) -> str:
        """The cookie that names a browser meanwhile."""
        return "session-id"

    def get_session_id(self) -> str:
        """The browser."""
        return self._id

    def set_session_id(self, session_id: str) -> None:
        """From here on it is about that browser."""
        self._id = session_id

    def remove_session_id(self) -> None:
        """From here on it is about no browser."""
        self._id = ""

    def can_set_keys_expiration(self) -> bool:
        """All is kept for KEPT_FOR."""
        return False

    def set_value(self, key: str, value: Any, exp: int | None = None) -> None:
        """Keep a value."""
        Session.objects.save(self._row(key), {"value": value}, timezone.now() + KEPT_FOR)

    def get_value(self, key: str) -> Any:
        """Take a value out; None where there is none."""
        rows = Session.objects.filter(session_key=self._row(key), expire_date__gt=timezone.now())
        found = rows.first()
        return found.get_decoded().get("value") if found is not None and rows.delete()[0] else None

    def check_value(self, key: str) -> bool:
        """Whether there was such a value."""
        return self.get_value(key) is not None

    def _row(self, key: str) -> str:
        return hashlib.sha256(f"lti {self._id} {key}".encode()).hexdigest()[:40]


def remember_launch(request: HttpRequest, key: str, launched: Mapping[str, Any]) -> None:
    """Keep in the browser's session where the grade of that level goes."""
    known = {**request.session.get(LAUNCHED, {})}
    known.pop(key, None)
    known[key] = dict(launched)
    request.session[LAUNCHED] = dict([*known.items()][-LAUNCHED_MAX:])


def grade_sent(request: HttpRequest, key: str, *, points: int, points_max: int) -> str:
    """Send the grade of a level that was passed to where its session was launched from; what became of it in words, empty for others."""
    launched = request.session.get(LAUNCHED, {}).get(key) if lti_is_on() else None
    if launched is None:
        return ""
    try:
        _send(launched, points=points, points_max=points_max)
    except Exception as error:  # whatever a platform or its configuration does, the level is passed
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
