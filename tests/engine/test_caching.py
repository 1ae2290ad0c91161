from simulator.engine.kernel.caching import cached_when_short


def test_short_texts_are_read_once_and_long_ones_each_time():
    seen = []

    @cached_when_short(maxsize=8, chars_max=3)
    def read(text):
        seen.append(text)
        return text.upper()

    assert [read("abc"), read("abc"), read("abcd"), read("abcd")] == ["ABC", "ABC", "ABCD", "ABCD"]
    assert seen == ["abc", "abcd", "abcd"]


def test_few_long_texts_are_kept_where_that_is_asked_for() -> None:
    read: list[str] = []

    @cached_when_short(maxsize=8, chars_max=3, long_kept=2)
    def length(text: str) -> int:
        read.append(text)
        return len(text)

    assert [length(text) for text in ("aaaa", "aaaa", "bbbb", "aaaa", "cccc", "bbbb")] == [4] * 6
    assert read == ["aaaa", "bbbb", "cccc", "bbbb"]
