"""Recent usage by address."""

from simulator.runs.turns.constants import NAMES_KNOWN_MAX
from simulator.runs.turns.spending import Spending


def test_no_more_names_are_known_than_there_is_room_for():
    spending = Spending(half_s=30.0)
    spending.add("much", 9.0, 0.0)
    for number in range(3 * NAMES_KNOWN_MAX):
        spending.add(f"{number}", 1.0, 0.0)
        assert len(spending._had) <= NAMES_KNOWN_MAX
    assert spending.of("much", 0.0) == 9.0


def test_what_was_had_long_ago_counts_less():
    spending = Spending(half_s=10.0)
    spending.add("a", 8.0, 0.0)
    spending.add("a", 1.0, 20.0)
    assert spending.of("a", 30.0) == 1.5


def test_those_who_had_so_much_are_named():
    spending = Spending(half_s=10.0)
    spending.add("much", 4.0, 0.0)
    spending.add("little", 1.0, 0.0)
    assert [spending.at_least(2.0, now_s) for now_s in (0.0, 10.0, 11.0)] == [{"much"}, {"much"}, set()]
