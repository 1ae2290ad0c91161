from simulator.bench.manifests import check_time, manifest
from simulator.manifests.check.check import check_text


def test_manifest_of_the_bench_is_right_and_long_enough() -> None:
    text = manifest(1000)

    assert text.count("\n") >= 1000 and check_text(text, kubernetes="1.33").ok


def test_check_of_four_times_the_lines_takes_no_longer_than_in_proportion():
    short, long = check_time(250, rounds=3), check_time(1000, rounds=3)
    assert long.mean_ms < 12 * short.mean_ms
