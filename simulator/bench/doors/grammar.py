"""The grammar of hostile input: ``case`` is a function of seed and number alone."""

import json
from functools import cache
from random import Random
from urllib.parse import quote

from simulator.bench.doors import texts
from simulator.bench.doors.addresses import Door, doors, methods_of, sockets
from simulator.bench.doors.documents import document
from simulator.bench.doors.model import Headers, HostileInput, Known, Message, Request, Talk
from simulator.bench.doors.names import fields_of
from simulator.web.base.common import LABELS

TARGET_MOST = 15_000
"""Maximum length of a request line for the server, in bytes; a longer one is refused before it is parsed."""
STAFF = "/admin/"
_ROUND = ("own", "text", "socket", "own", "own", "text", "own", "staff", "own", "text")
"""The kinds of doors, in turn: addresses for visitors, those of them that take a text, those for staff, sockets."""
_METHODS = (*(b"GET", b"POST") * 9, b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"get", b"BREW", b"M" * 300)
_DOCUMENTS = {"manifest", "text", "behaviours", "upload", "document", "patch"}
_SAFE = "".join(map(chr, range(0x21, 0x7F)))
_SOUND = (*('{"type":"ping"}', '{"type":"away"}', '{"type":"back"}', '{"ack":1}', '{"type":"","path":"/scenarios/","query":""}'),)
_MESSAGES = (
    *('{"type":"ping"}', '{"type":"away"}', '{"type":"back"}', '{"ack":1}', '{"ack":0,"type":"ping"}', '{"type":"hello"}', "{}", "[]"),
    *('{"path":"/r/","query":"t=1","is_led":true,"calls":true}', '{"type":"","path":"/scenarios/","query":""}', '{"is_led":false}'),
    *(
        '{"ack":-1}',
        '{"ack":9223372036854775808}',
        '{"ack":1e999}',
        '{"ack":1.5}',
        '{"ack":NaN}',
        '{"ack":"1"}',
        '{"ack":' + "9" * 900 + "}",
    ),
    *('{"path":"\\u0000"}', '{"path":"\\ud800"}', '{"query":"\\u202e&t=1e999999"}', '{"path":"//elsewhere.example/"}', '{"type":null}'),
)


@cache
def _doors() -> dict[str, tuple[Door, ...]]:
    """The doors by their name in a round."""
    everything = doors()
    of_staff = tuple(door for door in everything if door.literals[0].startswith(STAFF))
    own = tuple(door for door in everything if door not in of_staff)
    with_text = tuple(door for door in own if "POST" in methods_of(door.view) and not _DOCUMENTS.isdisjoint(fields_of(door.view)))
    return {"own": own, "text": with_text, "staff": of_staff, "socket": sockets()}


def case(seed: int, number: int, known: Known) -> HostileInput:
    """The input of that number. Addresses take turns, so that each comes up whatever is drawn."""
    random = Random(f"{seed}:{number}")
    turn, place = divmod(number, len(_ROUND))
    what = _ROUND[place]
    among = _doors()[what]
    door = among[(turn * _ROUND.count(what) + _ROUND[:place].count(what)) % len(among)]
    if what == "socket":
        return HostileInput(number=number, door="".join(door.literals), sent=_talk(random, door, known))
    return HostileInput(number=number, door=door.name, sent=_request(random, door, known))


# ---- requests --------------------------------------------------------------------------------------------------------
def _request(random: Random, door: Door, known: Known) -> Request:
    method = _method(random, door)
    target = _path(random, door, known)
    if random.random() < (0.8 if method == b"GET" else 0.2):
        target += b"?" + _query(random, door, known)
    kind, body = b"", b""
    if method in (b"POST", b"PUT", b"PATCH") or random.random() < 0.05:
        kind, body = _body(random, door, known)
    headers = [*_headers(random, known), *([(b"Content-Type", kind)] if kind else [])]
    return Request(method=method, target=target[:TARGET_MOST], headers=tuple(headers), body=body)


def _method(random: Random, door: Door) -> bytes:
    """More often than not one that the view accepts."""
    usual = methods_of(door.view)
    if "POST" in usual and random.random() < 0.5:
        return b"POST"
    return random.choice(usual).encode() if usual and random.random() < 0.85 else random.choice(_METHODS)


def _path(random: Random, door: Door, known: Known) -> bytes:
    path = door.literals[0].encode()
    mangled = random.randrange(len(door.names)) if door.names and random.random() < 0.15 else -1
    for number, (name, literal) in enumerate(zip(door.names, door.literals[1:], strict=True)):
        value = texts.word(random, most=2_000) if number == mangled else _usual(random, name, known)
        path += _quoted(random, value, keep="/") + literal.encode()
    if random.random() < 0.015:
        path = random.choice((b"/", b"//", b"", b"/static/", b"/static/%2e%2e/", b"http://elsewhere.example")) + path + b"%00"
    return path if path.startswith((b"/", b"http:")) else b"/" + path


def _usual(random: Random, name: str, known: Known) -> str:
    """An existing value for that parameter."""
    there: dict[str, tuple[str, ...]] = {
        "run_id": known.runs,
        "other_id": known.runs,
        "share_id": known.shares,
        "sweep_id": known.sweeps,
        "code": known.classes,
        "slug": ("hello-pod", "crash-loop-ladder", "zero-downtime"),
        "step": ("1", "step-1"),
        "seq": ("0", "1", "7", "999999999"),
        "tab": tuple(LABELS),
        "kind": ("pod", "Pod", "node", "deployment"),
        "namespace": ("default", "kube-system"),
        "name": ("web", "node-1"),
        "minor": ("1.33", "1.20"),
        "language": ("en", "zh-hans"),
    }
    return random.choice(there.get(name, ("1", "a")))


def _query(random: Random, door: Door, known: Known) -> bytes:
    pairs = [_pair(random, door, known, most=4_000) for _ in range(random.choice((1, 2, 4, 8, 12)))]
    return b"&".join(_quoted(random, name) + b"=" + _quoted(random, value) for name, value in pairs)


def _pair(random: Random, door: Door, known: Known, *, most: int) -> tuple[str, str]:
    """A name and a value, mostly of those that the view reads."""
    own = fields_of(door.view)
    names = [*own] if own and random.random() < 0.9 else [*_every_name()]
    name = random.choice(names) if random.random() < 0.97 else texts.word(random, most=300)
    return name, _value(random, name, (own or {}).get(name, ()), known, most)


@cache
def _every_name() -> dict[str, None]:
    return {name: None for among in ("own", "staff") for door in _doors()[among] for name in fields_of(door.view)}


def _value(random: Random, name: str, usual: tuple[str, ...], known: Known, most: int) -> str:
    if name in _DOCUMENTS and most > 4_000:
        return document(random, known.file)
    if random.random() < 0.4:
        usual = usual or _guesses(name, known)
        return random.choice(usual)
    return texts.word(random, most=most)


def _guesses(name: str, known: Known) -> tuple[str, ...]:
    """Plausible values of such a field."""
    there: dict[str, tuple[str, ...]] = {
        "kubernetes": ("1.33", "1.20"),
        "client_key": ("12345678-abcd", "0a0a0a0a0a0a"),
        "sel": ("pod/default/web", "node/node-1"),
        "tab": tuple(LABELS),
        "k": ("get pods", "delete pod web", "cordon node-1", "describe pod web", "logs web"),
        "field": ("spec.terminationGracePeriodSeconds", "Pod/web: spec.terminationGracePeriodSeconds"),
        "path": tuple(f"/r/{run}/" for run in known.runs),
        "with": known.runs,
        "code": known.classes,
        "url": tuple(f"http://localhost/s/{share}/" for share in known.shares),
        "moment": texts.DATES,
        "lang": ("en", "zh-hans", "zh-hant"),
        "versions": ("1.20,1.33",),
    }
    return there.get(name, ("1", "web", "0", "5.5", "default/web", "on"))


def _quoted(random: Random, value: str, *, keep: str = "") -> bytes:
    """Escaped as a browser does it, or hardly at all."""
    raw = texts.in_bytes(value)
    if random.random() < 0.03:
        return raw.translate(None, b"\r\n \x00#")
    return quote(
        raw, safe=keep if random.random() < 0.5 else _SAFE.translate({ord(mark): None for mark in "&#%?+;=" if mark not in keep})
    ).encode()


# ---- bodies ----------------------------------------------------------------------------------------------------------
_CHARSETS = (
    *(b"utf-7", b"utf-16", b"utf-32", b"idna", b"punycode", b"hex", b"rot13", b"zlib", b"base64", b"unicode_escape", b"raw_unicode_escape"),
    *(b"cp037", b"latin-1", b"ascii", b"undefined", b"mbcs", b"utf-8-sig", b"UTF-8", b'"utf-8"', b"", b"nonsense", b"\xff", b"a" * 5_000),
    *(b"charmap", b"oem", b"uu", b"bz2", b"quopri", b"big5", b"utf_8\x00", b"..", b"encodings"),
)


def _body(random: Random, door: Door, known: Known) -> tuple[bytes, bytes]:
    """Content type and body."""
    pairs = [_pair(random, door, known, most=100_000) for _ in range(random.choice((1, 2, 4, 8)))]
    pairs += [(name, _value(random, name, usual, known, 100_000)) for name, usual in fields_of(door.view).items() if random.random() < 0.5]
    kind = random.randrange(10)
    if kind < 6:
        body = b"&".join(_quoted(random, name) + b"=" + _quoted(random, value) for name, value in pairs)
        made = b"application/x-www-form-urlencoded", body
    elif kind < 8:
        made = _parts(random, pairs)
    elif kind == 8:
        text = random.choice((json.dumps(dict(pairs)), document(random, known.file)))
        made = random.choice((b"application/json", b"application/yaml", b"text/plain")), texts.in_bytes(text)
    else:
        made = random.choice((b"", b"a/b/c", b";", b"multipart/form-data", b"text/html; charset=")), random.randbytes(200)
    return (made[0] + b"; charset=" + random.choice(_CHARSETS), made[1]) if random.random() < 0.12 else made


def _parts(random: Random, pairs: list[tuple[str, str]]) -> tuple[bytes, bytes]:
    """A multipart form; some boundaries, headers and endings are broken."""
    boundary = random.choice((b"----x", b"----x", b"----x", b"", b'"', b"a" * 300, b"\xff", b"--", b"b; b=c"))
    blocks = b""
    for name, value in pairs:
        head = b'Content-Disposition: form-data; name="%s"' % texts.in_bytes(name).translate(None, b'\r\n"')
        if name in _DOCUMENTS or random.random() < 0.2:
            head += random.choice(
                (b'; filename="a.json"', b'; filename="a\x00.json"', b"; filename*=utf-7''a", b'; filename=""', b"; filename")
            )
        head += b"\r\n" + random.choice(
            (
                b"",
                b"",
                b"Content-Type: text/plain; charset=utf-7\r\n",
                b"Content-Transfer-Encoding: base64\r\n",
                b"Content-Type:\r\n",
                b"\x00\r\n",
            )
        )
        blocks += b"--" + boundary + b"\r\n" + head + b"\r\n" + texts.in_bytes(value) + b"\r\n"
    end = b"--" + boundary + random.choice((b"--\r\n", b"--\r\n", b"", b"\r\n", b"-"))
    return b"multipart/form-data; boundary=" + boundary, blocks + end


# ---- headers ---------------------------------------------------------------------------------------------------------
_DATES = (b"Thu, 01 Jan 1970 00:00:00 GMT", b"Fri, 31 Dec 9999 23:59:59 GMT", b"Fri, 31 Dec 99999 23:59:59 GMT", b"0", b"yesterday")
_ODD: tuple[tuple[bytes, tuple[bytes, ...]], ...] = (
    (b"Accept", (b"application/json", b"text/html", b"*/*;q=1e999", b"a/b" * 900, b"\xff", b"")),
    (b"Accept-Language", (b"zh-hans", b"zh-Hant-TW;q=0.5,*;q=0", b"x" * 3_000, b"en;q=1e9", b"\xff", b"../../", b"*;q=nan", b"a-" * 500)),
    (b"Accept-Encoding", (b"gzip", b"gzip;q=nan", b"br, zstd, *", b"gzip;q=1e999", b"\xff")),
    (b"Host", (b"elsewhere.example", b"", b"localhost:99999999", b"[::1", b"\xff", b"a@b", b"localhost,localhost", b"127.0.0.1:0")),
    (b"Origin", (b"null", b"http://elsewhere.example", b"http://[", b"\xff", b"https://localhost:99999999", b"http://localhost:a")),
    (b"Referer", (b"http://[", b"http://elsewhere.example/", b"\xff", b"http://localhost:99999999/")),
    (b"X-Forwarded-For", (b"1.2.3.4", b"\xff", b"," * 900, b"[::1]:99999", b"999.1.1.1", b"1.2.3.4\x00")),
    (b"X-Forwarded-Proto", (b"https", b"\xff")),
    (b"X-Forwarded-Host", (b"elsewhere.example", b"\xff")),
    (b"If-None-Match", (b"*", b'"', b'W/"a", "b"', b"\xff", b'"a",' * 900)),
    (b"If-Modified-Since", _DATES),
    (b"If-Unmodified-Since", _DATES),
    (b"Range", (b"bytes=0-", b"bytes=-1", b"bytes=5-1", b"bytes=" + b"0-1," * 900, b"bytes=99999999999999999999-", b"\xff")),
    (b"HX-Request", (b"true", b"true", b"false", b"\xff")),
    (b"HX-Target", (b"panel", b"\xff", b"a" * 3_000)),
    (b"HX-Current-URL", (b"http://localhost/", b"http://[", b"\xff", b"%ff", b"http://localhost:99999999/")),
    (b"HX-Current-URL-URI-AutoEncoded", (b"true",)),
    (b"HX-Trigger", (b"{", b"\xff")),
    (b"Triggering-Event", (b"{", b"[" * 5_000, b'"\xff"', b"1" * 5_000)),
    (b"HX-Prompt", (b"%00", b"\xff")),
    (b"HX-History-Restore-Request", (b"true",)),
    (b"X-Requested-With", (b"XMLHttpRequest",)),
    (b"X-HTTP-Method-Override", (b"DELETE",)),
    (b"Daphne-Root-Path", (b"/a", b"\xff", b"%ff", b"/r")),
    (b"Script-Name", (b"/a",)),
    (b"Authorization", (b"Basic \xff", b"Bearer a")),
    (b"Expect", (b"100-continue", b"a")),
    (b"Content-Encoding", (b"gzip", b"\xff")),
    (b"X-CSRFToken", (b"a", b"\xff", b"a" * 64, b"a" * 5_000, b"\x00")),
    (b"Content-Disposition", (b"\xff",)),
    (b"Upgrade-Insecure-Requests", (b"1",)),
)
_COOKIES = (
    *(
        b"sessionid=a",
        b"sessionid=\x00",
        b"sessionid=%00",
        b"csrftoken=a",
        b"csrftoken=\xff",
        b"podscope_owner=a:b:c",
        b"podscope_owner=\xff",
    ),
    *(
        b'podscope_owner="\\000"',
        b"django_language=zh-hans",
        b"django_language=\x00",
        b"django_language=" + b"x" * 600,
        b"messages=a",
        b"=",
        b";",
    ),
    *(b'sessionid="\\000"', b'messages="[[\\"__json_message\\",0,25,\\"a\\"]]"', b"podscope_owner=" + b"a" * 4_000, b"a=b;" * 500),
)


def _headers(random: Random, known: Known) -> Headers:
    """A few odd ones; half of all requests come from the browser that owns the existing objects, with its token."""
    chosen: dict[bytes, bytes] = {}
    for _ in range(random.choice((0, 0, 0, 1, 1, 3))):
        name, values = random.choice(_ODD)
        chosen[name] = random.choice(values)
    cookies = [known.cookies] if random.random() < 0.8 else []
    if random.random() < 0.1:
        cookies.insert(random.randrange(2), random.choice(_COOKIES))
    if cookies:
        chosen[b"Cookie"] = b"; ".join(cookies)
    if random.random() < 0.95:
        chosen.setdefault(b"X-CSRFToken", known.token)
    return tuple(chosen.items())


# ---- sockets ---------------------------------------------------------------------------------------------------------
def _talk(random: Random, door: Door, known: Known) -> Talk:
    target = _path(random, door, known)
    if random.random() < 0.7:
        since = random.choice(("0", "1", "-1", "999999999", texts.word(random, most=2_000)))
        target += b"?since=" + _quoted(random, since)
    headers = {name: value for name, value in _headers(random, known) if name.lower() not in (b"expect", b"host")}
    if random.random() < 0.1:
        headers[b"Sec-WebSocket-Protocol"] = random.choice((b"a", b"a, b", b"", b"\xff", b"a," * 500))
    if random.random() < 0.1:
        headers[b"Sec-WebSocket-Extensions"] = random.choice(
            (b"permessage-deflate", b"permessage-deflate; server_max_window_bits=99", b"a", b";")
        )
    messages = tuple(_message(random) for _ in range(random.choice((0, 1, 1, 2, 3, 8))))
    return Talk(target=target[:TARGET_MOST], headers=tuple(headers.items()), messages=messages)


def _message(random: Random) -> Message:
    kind = random.randrange(12)
    text = random.choice(_MESSAGES if random.random() < 0.3 else _SOUND)
    if kind < 7:
        return Message(1, text.encode())
    if kind == 7:
        return Message(2, random.choice((text.encode(), b"", random.randbytes(300))))
    if kind == 8:
        return Message(1, texts.in_bytes(random.choice(("[", '{"a":')) * random.choice((100, 400, 20_000))))
    if kind == 9:
        return Message(1, texts.in_bytes(texts.word(random, most=100_000)))
    if kind == 10:
        return Message(1, random.choice((b"\xff", b"\xc0\x80", b'{"type":"\xff"}')))
    cut = random.randrange(len(text))
    return Message(1, texts.in_bytes(text[:cut] + texts.word(random, most=1_200) + text[cut:]))
