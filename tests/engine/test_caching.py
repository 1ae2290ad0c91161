from simulator.engine.caching import cached_when_short


def test_short_texts_are_read_once_and_long_ones_each_time():
    seen = []

    @cached_when_short(maxsize=8, chars_max=3)
    def read(text):
        seen.append(text)
        return text.upper()

    assert [read("abc"), read("abc"), read("abcd"), read("abcd")] == ["ABC", "ABC", "ABCD", "ABCD"]
    assert seen == ["abc", "abcd", "abcd"]
