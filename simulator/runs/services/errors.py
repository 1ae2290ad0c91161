"""Why a service did not do what it was asked, as a tree::

ServiceError(code, text)      text is translated and meant for the person who asked
├── NotAllowed                the run belongs to somebody else, or to nobody
├── Refused                   impossible now: the run has ended, the moment is past, …
└── LimitReached              it would be more than a run may hold
    └── TooMany               a visitor has as many under way as they may: later it is possible
"""


class ServiceError(Exception):
    """Base of them all. ``code`` is for scripts, ``text`` for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class NotAllowed(ServiceError):
    """Only the owner may do that."""


class Refused(ServiceError):
    """That cannot be done to this run now."""


class LimitReached(ServiceError):
    """A stated limit stands in the way."""


class TooMany(LimitReached):
    """As many of these are in progress as this visitor, or the site, may have at once."""
