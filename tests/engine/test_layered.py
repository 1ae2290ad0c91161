"""A layered dictionary is a dictionary, whenever it is copied."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.kernel.layered import Layered

STEPS = st.lists(st.tuples(st.sampled_from(["set", "delete", "copy"]), st.integers(0, 8), st.integers(1, 9)), max_size=40)


@given(STEPS)
def test_it_is_as_a_dict_in_content_and_order(steps: list[tuple[str, int, int]]) -> None:
    layered: Layered[int, int] = Layered()
    plain: dict[int, int] = {}
    for what, key, value in steps:
        if what == "set":
            layered[key] = plain[key] = value
        elif what == "copy":
            layered = layered.copy()
        elif key in plain:
            del layered[key], plain[key]
    assert list(layered.items()) == list(plain.items())
    assert (list(layered), list(layered.values()), len(layered)) == (list(plain), list(plain.values()), len(plain))
    assert [layered.get(key) for key in range(9)] == [plain.get(key) for key in range(9)]
    assert [key in layered for key in range(9)] == [key in plain for key in range(9)]
    assert [layered[key] for key in plain] == list(plain.values())


@given(STEPS, STEPS)
def test_what_a_copy_writes_the_original_does_not_see(before: list[tuple[str, int, int]], after: list[tuple[str, int, int]]) -> None:
    one = _written(Layered(), before)
    held = list(one.items())
    two = _written(one.copy(), after)
    assert list(one.items()) == held
    _written(one, [("set", 3, 77), ("delete", 4, 0)])
    assert list(two.items()) == list(_written(_written(Layered(), before), after).items())


def test_a_copy_of_a_copy_writes_down_only_what_is_new() -> None:
    base: Layered[int, int] = Layered()
    for key in range(1000):
        base[key] = key
    first = base.copy()
    first[5] = 6
    second = first.copy()
    assert second.below is first.below is base.below
    assert second.top == {5: 6}


def _written(layered: Layered[int, int], steps: list[tuple[str, int, int]]) -> Layered[int, int]:
    for what, key, value in steps:
        if what == "set":
            layered[key] = value
        elif what == "delete":
            layered.pop(key, None)
    return layered
