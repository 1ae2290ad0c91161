"""Values that no form expects: huge numbers, invisible characters, endless texts, dates at the end of time."""

from random import Random

HUGE = ("1e999999", "-1e999999", "9e9999999", "1E+1000000", "-5e999997", "1e999997")
"""Accepted by Decimal, but overflows when multiplied."""
NUMBERS = (
    *(
        "1e999999",
        "-1e999999",
        "9e9999999",
        "1E+1000000",
        "-5e999997",
        "1e-999999",
        "1e-9999999999",
        "9e99",
        "1E+400",
        "NaN",
        "sNaN",
        "-Infinity",
        "-1",
        "-0",
        "0.1",
        "1.0005",
        "1_0",
        "+1",
        " 1 ",
    ),
    *("0x10", "٣", "²", "１", "1,5", "00000000001", "2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775809"),
    *("18446744073709551616", "1" + "0" * 30, "9" * 400, "9" * 4301, "1e" + "9" * 30, "0." + "0" * 400 + "1", "1/0", "٣e٣", "1e1e1"),
)
DATES = (
    *("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00Z"),
    *("0001-01-01T00:00:00+14:00", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "2026-02-30T25:61:61Z", "2026-01-01T00:00:60Z"),
    *("-9999-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2038-01-19T03:14:08Z", "2026-01-01", "١٩٩٩-01-01T00:00:00Z"),
)
MARKS = (
    *("\x00", "a\x00b", "\x00" * 40, "\x01\x02\x1b[31m", "\x7f\x85", "\r\nX-Injected: 1\r\n\r\n", "\n", "\u2028", "\ufeffweb", "\ufffe"),
    *("\ud800", "a\udfffb", "\u202egpj.exe", "\u2066web\u2069", "\u200b\u200d\u2060", "w\u200beb", "e" + "\u0301" * 300, "🤷🏽‍♀️" * 30),
    *("𐍈", "ﷺ", "İ", "ẞ", "\U0010ffff", "\ue000", "K", "ﬀ"),
)
WORDS = (
    *(
        "",
        " ",
        "<script>alert(1)</script>",
        "\"'><img src=x onerror=alert(1)>",
        "{{ 7*7 }}{% debug %}",
        "%s%n%(a)s",
        "%",
        "%zz",
        "{0}{a.b}",
    ),
    *(
        "../../../etc/passwd",
        "..%2f..%2f",
        "....//",
        "//elsewhere.example/",
        "javascript:alert(1)",
        "http://[",
        "http://[::1",
        "https://a:b",
    ),
    *(
        "' OR 1=1 --",
        "\\",
        "\\u0000",
        "$(id)",
        "`id`",
        "null",
        "true",
        "None",
        "undefined",
        "[object Object]",
        "__proto__",
        "-",
        "_",
        ".",
        "..",
    ),
    *("default/web", "pod/default/web", "pod//", "///", "node/node-1", "pod/default/web/" + "c" * 300, "a=b,c!=d,e in (f", "=", ",", ",,,"),
    *(
        "kubectl get pods",
        "get pod -o jsonpath='{",
        "delete --all",
        "exec web -- sh -c '",
        "logs web --since=1e99h",
        "--",
        "get pods -l (((",
    ),
    *("00000000-0000-0000-0000-000000000000", "{12345678-1234-1234-1234-123456789012}", "urn:uuid:", "1_2", "-1_-2", "999999999999_1"),
    *("v1d:", "v1d:AAAA", "#v1d:" + "A" * 200, "xn--a", "con", "nul", "🙂"),
)
LONG = ("a", "9", "\u202e", "[", "(", "{", '"', "'", "\\", "/", "-", "a/", "a,", "%", "\u0301", "界", "\n", " ", "&", "= ")


def word(random: Random, *, most: int) -> str:
    """One of them, of at most ``most`` characters if it is a long one. May contain lone surrogates."""
    kind = random.randrange(10)
    if kind == 0:
        piece = random.choice(LONG)
        return (piece * (most // len(piece)))[: random.choice((81, 256, 701, 5_000, most))]
    if kind == 1:
        return "".join(chr(random.choice((random.randrange(128), random.randrange(0x2100), random.randrange(0x110000)))) for _ in range(9))
    return random.choice(random.choice((HUGE, HUGE, NUMBERS, NUMBERS, NUMBERS, DATES, MARKS, MARKS, WORDS, WORDS)))


def in_bytes(text: str) -> bytes:
    """As UTF-8, including lone surrogates, which strict decoders refuse."""
    return text.encode("utf-8", "surrogatepass")
