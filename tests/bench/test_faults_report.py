"""What the table of faults reports as wrong, and what it says if there is nothing to report."""

import pytest

from simulator.bench.faults.deal import Dealt
from simulator.bench.faults.plant import LEASE_MS
from simulator.bench.faults.report import REPLAYED_S, late, total_of

IN_TIME_S = LEASE_MS / 1000 + REPLAYED_S


@pytest.mark.parametrize(("taken_s", "wrong"), [(None, 0), (IN_TIME_S, 0), (IN_TIME_S + 0.1, 1)])
def test_owner_that_comes_long_after_the_lease_is_wrong(taken_s, wrong):
    assert len([*late(Dealt(name="kill -9 of the owner", taken_s=taken_s))]) == wrong


def test_total_of_no_faults_is_reported():
    assert total_of([]) == "faults    none in all"
