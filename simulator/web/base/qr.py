"""Links as QR codes, for whoever reads them off a screen."""

from io import BytesIO

import segno
from segno.encoder import DataOverflowError

LENGTH_MAX = 2331
"""Bytes that a QR code of medium redundancy holds."""


def qr_svg(link: str) -> bytes:
    """The code as an SVG document, black on white with its quiet zone whatever the theme: scanners want it so. Raises ValueError."""
    out = BytesIO()
    try:
        segno.make_qr(link, error="m").save(out, kind="svg", scale=4, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None)
    except DataOverflowError:
        raise ValueError(f"a link of {len(link)} letters is too long for a QR code") from None
    return out.getvalue()
