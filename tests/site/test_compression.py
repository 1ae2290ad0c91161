"""Only browsers that accept gzip get it."""

import gzip

import pytest
from django.http import HttpResponse

from lifecycle_site.compression import CompressionMiddleware

TEXT = b"pods " * 1000


@pytest.mark.parametrize(
    ("accepts", "is_packed"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0, br", False),
        ("gzip;q=0.01", True),
        ("br", False),
        ("xgzip", False),
        ("", False),
    ],
)
def test_response_is_compressed_for_browsers_that_accept_it(rf, accepts, is_packed):
    request = rf.get("/", headers={"Accept-Encoding": accepts})
    response = CompressionMiddleware(lambda request: HttpResponse(TEXT))(request)
    assert response.headers.get("Content-Encoding") == ("gzip" if is_packed else None)
    assert (gzip.decompress(response.content) if is_packed else response.content) == TEXT
