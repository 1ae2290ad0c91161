"""What a page says that refuses something."""

import pytest

from simulator.web.base.common import refusal


@pytest.mark.parametrize(("after_s", "title"), [(0, "That was not possible"), (9, "Not available now")])
def test_a_page_says_whether_it_may_be_possible_later(rf, after_s, title):
    response = refusal(rf.get("/"), "Too many.", status=429, retry_after_s=after_s)
    page = response.content.decode()
    assert (title in page, "Too many." in page, response.status_code) == (True, True, 429)
    assert (response.get("Retry-After"), response.get("Cache-Control")) == ((str(after_s), "no-store") if after_s else (None, None))
