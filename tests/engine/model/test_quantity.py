import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.model.quantity import BadQuantity, Quantity, canonical, milli, parse, round_up, value

NANOS = st.integers(min_value=-(10**20), max_value=10**20)
FORMATS = st.sampled_from(["DecimalSI", "BinarySI", "DecimalExponent"])


@given(nano=NANOS, form=FORMATS)
def test_canonical_text_reads_back_as_the_same_value(nano, form):
    assert parse(canonical(Quantity(nano, form))).nano == nano


@given(nano=NANOS, scale=st.integers(min_value=-9, max_value=6))
def test_round_up_never_shrinks_and_loses_less_than_one_step(nano, scale):
    rounded, exact = round_up(Quantity(nano), scale)
    assert 0 <= abs(rounded.nano) - abs(nano) < 10 ** (scale + 9)
    assert exact is (rounded.nano == nano)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1500m", "1500m"),
        ("0.1", "100m"),
        ("2048Ki", "2Mi"),
        ("1000Ki", "1000Ki"),
        ("1e3", "1e3"),
        ("12E", "12E"),
        ("0Gi", "0"),
        (".5Gi", "512Mi"),
    ],
)
def test_canonical_uses_the_largest_fitting_suffix(text, expected):
    assert canonical(parse(text)) == expected


@pytest.mark.parametrize("text", ["", "1 ", "1e", "1Kib", "1mi", "--1", "1.2.3", "1K", "٣", "1_000", "NaN"])
def test_parse_refuses_what_is_not_a_quantity(text):
    with pytest.raises(BadQuantity):
        parse(text)


def test_parse_rounds_up_below_nano_and_saturates():
    assert parse("1e-20").nano == 1
    assert value("100Ei") == 2**63 - 1


def test_parse_stays_small_when_the_exponent_is_huge():
    assert canonical(parse("1e999999999999")) == "1e99"


def test_parse_takes_plain_numbers():
    assert parse(2) == parse("2")
    assert parse(0.5) == parse("0.5")


def test_value_and_milli_round_away_from_zero():
    assert (value("1.1"), value("-1.1"), milli("0.1m"), milli(1)) == (2, -2, 1, 1000)
