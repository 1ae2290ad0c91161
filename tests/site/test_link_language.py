import pytest

from lifecycle_site.link_language import LinkLanguageMiddleware

pytestmark = pytest.mark.django_db


def test_link_opens_in_the_language_it_carries(client):
    answer = client.get("/scenarios/?lang=zh-hans&q=pod")
    assert (answer.status_code, answer["Location"]) == (302, "/scenarios/?q=pod")
    assert 'lang="zh-hans"' in client.get("/scenarios/").content.decode()


def test_unknown_language_of_a_link_changes_nothing(client):
    assert client.get("/scenarios/?lang=tlh").status_code == 200


def test_link_with_a_language_leads_to_no_other_site(rf):
    request = rf.get("/?lang=en")
    request.path = "//elsewhere.example/"
    assert LinkLanguageMiddleware(lambda _: None)(request)["Location"] == "/%2Felsewhere.example/"


def test_picture_speaks_the_language_of_its_address_or_browser_and_of_no_cookie(rf):
    seen = []
    for address in ("/s/abc/card.png", "/s/abc/card.png?lang=zh-hant", "/embed/abc/", "/scenarios/"):
        request = rf.get(address)
        request.COOKIES["django_language"] = "zh-hans"
        LinkLanguageMiddleware(lambda asked: seen.append(asked.COOKIES.get("django_language")))(request)
    assert seen == [None, "zh-hant", None, "zh-hans"]
