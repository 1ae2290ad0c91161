"""The exceptions that services raise, as a tree::

ServiceError(code, text)      text is translated and meant for the person who asked
├── NotAllowed                the run belongs to somebody else, or to nobody
├── Refused                   impossible now: the run has ended, the moment is past, …
└── LimitReached              it would exceed a documented limit
    └── TooMany               too many are in progress: it may work later
"""


class ServiceError(Exception):
    """The base class. ``code`` is for scripts, ``text`` for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class NotAllowed(ServiceError):
    """Only the owner may do that."""


class Refused(ServiceError):
    """That cannot be done to this run now."""


class LimitReached(ServiceError):
    """It would exceed a documented limit."""


class TooMany(LimitReached):
    """This visitor, or the site, already has as many in progress as allowed at once."""
