"""Links as QR codes, to be scanned from a screen."""

from io import BytesIO

import segno
from segno.encoder import DataOverflowError

LENGTH_MAX = 2331
"""The capacity in bytes of a QR code with medium error correction."""


def qr_svg(link: str) -> bytes:
    """The code as an SVG document, black on white with a quiet zone in any theme, as scanners need it. Raises ValueError."""
    out = BytesIO()
    try:
        segno.make_qr(link, error="m").save(out, kind="svg", scale=4, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None)
    except DataOverflowError:
        raise ValueError(f"a link of {len(link)} letters is too long for a QR code") from None
    return out.getvalue()
