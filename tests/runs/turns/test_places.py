"""Which runs are driven when more are wanted than there are slots."""

from uuid import UUID

import pytest

from simulator.runs.turns.places import Contender, PlaceQuota, Wait, plan

NO_QUOTA = PlaceQuota()


def contender(number, owner="anna", address="", **fields):
    return Contender(run_id=UUID(int=number), owner=owner, address=address or f"home of {owner}", since_ms=number, **fields)


def entitled(contenders, places, quota=NO_QUOTA):
    return [each.run_id.int for each in plan(contenders, places=places, quota=quota).entitled]


def waits(contenders, places, quota=NO_QUOTA):
    return {run_id.int: wait for run_id, wait in plan(contenders, places=places, quota=quota).waits.items()}


def hog(count, **fields):
    return [contender(number, owner="hog", is_held=True, **fields) for number in range(1, count + 1)]


def test_newcomer_goes_before_the_many_runs_of_one_visitor():
    assert entitled([*hog(3), contender(9)], 3) == [1, 9, 2]


def test_run_of_the_biggest_holder_gives_way():
    holders = [contender(n, owner="small", is_held=True) for n in (1, 2)] + [contender(n, owner="big", is_held=True) for n in (3, 4, 5)]
    assert set(waits([*holders, contender(9)], 5)) == {5}


def test_visitor_who_sheds_cookies_is_one_address():
    many = [contender(number, owner=f"alias {number}", address="one", is_held=True) for number in range(1, 5)]
    assert entitled([*many, contender(9), contender(10, owner="ben")], 4) == [1, 9, 10, 2]


def test_visitors_behind_one_address_take_turns():
    school = [contender(n, owner="hog", address="school", is_held=True) for n in (1, 2, 3)]
    assert entitled([*school, contender(9, owner="pupil", address="school")], 2) == [1, 9]


def test_run_that_nobody_has_looked_at_lately_gives_way_first():
    assert waits([contender(1, is_held=True, is_stale=True), contender(2, owner="ben", is_held=True), contender(3, owner="cleo")], 2) == {
        1: Wait(reason="queue", place=1)
    }


def test_idle_run_gives_way_before_one_that_nobody_has_looked_at_lately():
    runs = [contender(1, is_held=True, is_idle=True), contender(2, owner="ben", is_held=True, is_stale=True), contender(3, owner="cleo")]
    assert waits(runs, 2) == {1: Wait(reason="queue", place=1)}


def test_quota_goes_to_runs_that_have_something_to_do():
    runs = [contender(1, is_held=True, is_idle=True), contender(2)]
    assert entitled(runs, 9, PlaceQuota(per_owner=1)) == [2]


def test_nobody_is_sent_away_for_the_sake_of_an_equal():
    assert waits([contender(5, is_held=True), contender(1, owner="ben")], 1) == {1: Wait(reason="queue", place=1)}


def test_places_in_the_queue_are_counted_in_order():
    crowd = [contender(number, owner=f"visitor {number}") for number in range(1, 5)]
    assert [wait.place for _, wait in sorted(waits(crowd, 1).items())] == [1, 2, 3]


@pytest.mark.parametrize(
    ("quota", "reason"),
    [(PlaceQuota(per_owner=2), "owner"), (PlaceQuota(per_address=2), "address"), (PlaceQuota(per_owner=2, per_address=2), "owner")],
)
def test_quota_holds_even_where_places_are_free(quota, reason):
    assert waits(hog(3), 50, quota) == {3: Wait(reason=reason)}


def test_quota_goes_to_runs_that_are_looked_at():
    forgotten = contender(1, is_held=True, is_stale=True)
    assert waits([forgotten, contender(2, is_held=True), contender(3)], 50, PlaceQuota(per_owner=2)) == {1: Wait(reason="owner")}


def test_runs_of_unknown_addresses_are_charged_to_their_owners():
    old = [Contender(run_id=UUID(int=number), owner=f"visitor {number}") for number in range(1, 6)]
    assert len(entitled(old, 50, PlaceQuota(per_address=1))) == 5


def test_runs_behind_links_have_no_quota_and_take_turns():
    frozen = [Contender(run_id=UUID(int=number)) for number in range(1, 4)]
    assert entitled([*frozen, contender(9)], 2, PlaceQuota(per_owner=1, per_address=1)) == [1, 9]


def test_all_wait_for_a_runner_where_there_is_none():
    assert waits([contender(1)], 0) == {1: Wait(reason="runner")}


def test_a_class_behind_one_address_uses_up_nothing_of_its_quota():
    quota = PlaceQuota(per_address=2)
    pupils = [contender(number, owner=f"pupil {number}", address="school", is_in_class=True) for number in range(5)]
    others = [contender(number, owner=f"other {number}", address="school") for number in range(5, 8)]
    assert entitled([*pupils, *others], 20, quota) == [*range(7)]
    assert waits([*pupils, *others], 20, quota) == {7: Wait(reason="address")}


def test_a_class_takes_turns_with_those_who_are_in_none():
    pupils = [contender(number, owner=f"pupil {number}", address="school", is_in_class=True) for number in range(5)]
    assert 9 in entitled([*pupils, contender(9, owner="ben", address="home")], 2)
