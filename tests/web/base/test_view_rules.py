"""The sentences of rules, which pages of runs load on demand."""

import pytest
from django.utils.translation import override

from simulator.web.base.rules import rule_texts_url
from simulator.web.presenters import rule_sentences
from tests.factories import make_run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_address_of_a_language_answers_in_it(client, language):
    with override(language):
        address, expected = rule_texts_url(), rule_sentences()
    assert client.get(address).json()["rules"] == expected


def test_rule_leads_to_its_documentation(client):
    docs = client.get(rule_texts_url()).json()["docs"]
    assert docs["BACKOFF-OVER"].startswith("https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/")
    assert "" not in docs.values()


def test_addresses_of_two_languages_differ():
    with override("en"):
        english = rule_texts_url()
    with override("zh-hant"):
        assert rule_texts_url() != english


def test_language_that_the_site_does_not_have_is_not_found(client):
    assert client.get("/rules/xx/0.json").status_code == 404


def test_page_of_a_run_says_where_they_are(client):
    assert f'data-rules-url="{rule_texts_url()}"' in client.get(f"/r/{make_run().id}/").content.decode()
