"""Links that carry a whole scenario in their fragment, which browsers never send to a server: ``/x/#v1d:<base64url(deflate-raw(text))>``.

``static/js/shares/scenario-link.js`` does the same in the browser; ``tests/scenarios/test_links.py`` and
``tests/e2e/test_sharing.py`` keep the two consistent. The tag names the format, so that others may follow; links with a
tag that has been used are supported forever.
"""

import base64
import binascii
import re
import zlib

from django.utils.translation import gettext as _

TAG = "v1d:"
LONG = 8 * 1024
"""Longer links are truncated by some chat and mail programs."""
LENGTH_MAX = 64 * 1024
TEXT_MAX = 2_000_000
"""The most bytes of the text inside; the site accepts no larger scenario."""
_ALPHABET = re.compile(r"[A-Za-z0-9_-]*")


class BadLink(ValueError):
    """A link without a valid scenario; the text says why, for the user who pasted it."""


def packed(text: str) -> str:
    """The fragment for a text, tag included. Raises BadLink if it would be longer than LENGTH_MAX."""
    deflate = zlib.compressobj(level=9, wbits=-15)
    body = deflate.compress(text.encode()) + deflate.flush()
    fragment = TAG + base64.urlsafe_b64encode(body).rstrip(b"=").decode()
    if len(fragment) > LENGTH_MAX:
        raise BadLink(
            _("This scenario is too large for a self-contained link (%(size)d kB). Share a stored link or a file.") % _size(fragment)
        )
    return fragment


def unpacked(link: str) -> str:
    """The text in a fragment, or in a whole address with one. Raises BadLink."""
    fragment = link.strip().rpartition("#")[2]
    if len(fragment) > LENGTH_MAX:
        raise BadLink(_("This link is too long (%(size)d kB; the maximum is 64).") % _size(fragment))
    if not fragment.startswith(TAG):
        raise BadLink(_("This is not a link to a scenario: it does not begin with %(tag)s.") % {"tag": TAG})
    body = fragment.removeprefix(TAG)
    if not _ALPHABET.fullmatch(body):
        raise BadLink(_("This link contains invalid characters. Was it truncated or altered along the way?"))
    return _inflated(body)


def _inflated(body: str) -> str:
    inflate = zlib.decompressobj(wbits=-15)
    try:
        text = inflate.decompress(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)), TEXT_MAX + 1)
        if len(text) > TEXT_MAX:
            raise BadLink(_("The content of this link is too large."))
        if not inflate.eof:
            raise BadLink(_("This link is incomplete. Copy it again in full."))
        return text.decode()
    except (zlib.error, binascii.Error, UnicodeDecodeError):
        raise BadLink(_("This link is damaged. Copy it again in full.")) from None


def _size(fragment: str) -> dict[str, int]:
    return {"size": len(fragment) // 1024}
