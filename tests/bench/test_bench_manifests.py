from simulator.bench.manifests import check_time, manifest
from simulator.manifests.check.check import check_text


def test_manifest_of_the_bench_is_right_and_long_enough() -> None:
    text = manifest(1000)

    assert text.count("\n") >= 1000 and check_text(text, kubernetes="1.33").ok


def test_check_of_a_thousand_lines_takes_no_longer_than_a_blink() -> None:
    """The promise is 100 ms of one core; three times that is a mistake and no noise."""
    assert check_time(1000, rounds=3).mean_ms < 300
