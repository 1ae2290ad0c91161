"""The parts of an attack."""

from collections.abc import Callable

from msgspec import Struct

BUSYBOX = "busybox:1.36"
DEBIAN = "debian:12"
BASH = "bash:5.2"
PYTHON = "python:3.11"
PERL = "perl:5.34"


class HostileScript(Struct, frozen=True, kw_only=True):
    """A container designed to be expensive.

    ``script`` is run by its shell; ``given`` is the content of /given/input, which may be longer than an argument; ``exec`` is a script
    that ``kubectl exec`` runs in it a second after it has started.
    """

    name: str
    attacks: str
    script: str
    image: str = BUSYBOX
    shell: str = "sh"
    given: str = ""
    exec: str = ""


class HostileText(Struct, frozen=True, kw_only=True):
    """A text designed to be expensive, and its entry point (a name in ``doors.DOORS``). ``build`` makes the text.

    Those that a container answers have names that begin with ``shell-``.
    """

    name: str
    door: str
    build: Callable[[], str]
