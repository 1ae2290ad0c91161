"""A submitted text is parsed and validated once, whether it is refused or not."""

import pytest
from django.urls import reverse

from simulator.manifests.check import check
from tests.factories import make_run
from tests.web.helpers import POD, play, sign_in_as_owner

pytestmark = pytest.mark.django_db
REFUSED = POD.replace("image:", "imag:")
SWEPT = {
    "field": "spec.terminationGracePeriodSeconds", "first": "1", "last": "5", "step": "2",
    "seeds": "3", "outcome": "time-to-ready", "seconds": "30",
}  # fmt: skip


@pytest.fixture
def readings(monkeypatch):
    """The texts that were parsed."""
    read, load = [], check.load

    def loading(text, **options):
        read.append(text)
        return load(text, **options)

    monkeypatch.setattr(check, "load", loading)
    return read


@pytest.mark.parametrize(("text", "status"), [(REFUSED, 422), ("# nothing\n", 422), (POD.replace("web", "other"), 204)])
def test_text_that_is_applied_is_read_once(client, readings, text, status):
    run = make_run()
    play(run, until_ms=1000)
    sign_in_as_owner(client)
    readings.clear()
    sent = {"do": "apply", "manifest": text, "client_key": "one-of-its-kind"}
    answer = client.post(reverse("sim:run-commands", args=[run.id]), sent, headers={"HX-Request": "true"})
    assert (answer.status_code, len(readings)) == (status, 1)


@pytest.mark.parametrize(("text", "status"), [(POD, 200), ("# nothing\n", 422)])
def test_text_that_is_previewed_is_read_once(client, readings, text, status):
    run = make_run()
    play(run, until_ms=1000)
    readings.clear()
    answer = client.post(reverse("sim:run-preview", args=[run.id]), {"manifest": text})
    assert (answer.status_code, len(readings)) == (status, 1)


@pytest.mark.parametrize(("text", "status"), [(REFUSED, 422), (POD, 302)])
@pytest.mark.parametrize("page", ["sim:new", "sim:sweeps"])
def test_text_of_a_new_run_or_sweep_is_read_once(client, readings, page, text, status):
    sent = {"manifest": text, "kubernetes": "1.33"} | (SWEPT if page == "sim:sweeps" else {})
    answer = client.post(reverse(page), sent)
    assert (answer.status_code, len(readings)) == (status, 1)
