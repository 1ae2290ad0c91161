"""What an attack is made of."""

from collections.abc import Callable

from msgspec import Struct

BUSYBOX = "busybox:1.36"
DEBIAN = "debian:12"
BASH = "bash:5.2"
PYTHON = "python:3.11"
PERL = "perl:5.34"


class HostileScript(Struct, frozen=True, kw_only=True):
    """A container made to cost much.

    ``script`` is what its shell runs; ``given`` the content of /given/input, which may be longer than an argument; ``exec`` a
    script that ``kubectl exec`` runs in it a second after it has started.
    """

    name: str
    attacks: str
    script: str
    image: str = BUSYBOX
    shell: str = "sh"
    given: str = ""
    exec: str = ""


class HostileText(Struct, frozen=True, kw_only=True):
    """A text made to cost much, and the door it is handed in at (a name in ``doors.DOORS``). ``build`` makes the text.

    Those that a container answers have names that begin with ``shell-``.
    """

    name: str
    door: str
    build: Callable[[], str]
