"""The strip of the whole run: errors have a sign with a shape of its own, not only a colour."""

import pytest

from tests.e2e.helpers import record_rows, standing, wait_until

pytestmark = pytest.mark.e2e
SIGNS = """() => {
  const canvas = document.querySelector(".minimap canvas");
  const ratio = canvas.width / canvas.clientWidth;
  const from = Math.round(5 * ratio);
  const { data } = canvas.getContext("2d").getImageData(0, from, canvas.width, 1);
  const found = [];
  for (let x = 0; x < canvas.width; x += 1) if (data[4 * x + 3] > 60) found.push(x / canvas.width);
  return found;
}"""
"""The positions of signs, as shares of the width: columns of activity end below them."""


def shares(page, words):
    """Moments of the records with this text, as shares of the run, which ends at 65 s."""
    return [row[1] / 65_000 for row in record_rows(page) if any(f"'{word}'" in str(row) for word in words)]


def near(one, others):
    return any(abs(one - other) < 0.02 for other in others)


def test_what_failed_has_a_sign_and_nothing_else_has(visit):
    page = standing(visit(), "crash-loop-ladder", 65)
    wait_until(page, f"() => ({SIGNS})().length > 0")
    signs = page.evaluate(SIGNS)
    exits, warnings = shares(page, ["exited"]), shares(page, ["Warning"])
    assert len(exits) > 2
    assert [at for at in exits + warnings if not near(at, signs)] == []
    assert [sign for sign in signs if not near(sign, exits + warnings)] == []


def test_run_in_which_all_goes_well_has_no_sign(visit):
    page = standing(visit(), "hello-pod", 40)
    page.wait_for_timeout(600)  # the strip is drawn a few times per second
    assert page.evaluate(SIGNS) == []
