"""``date``: the wall clock of the run, in UTC. Calendar arithmetic is our own, since the engine may not import datetime."""

import re

from simulator.engine.containers.kernel.execute import Call

_DAYS = ("Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")  # 1 January 1970 was a Thursday
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def civil(seconds: int) -> tuple[int, int, int]:
    """Year, month and day of a Unix time (Howard Hinnant's days-to-civil)."""
    # Days since 1 March of year 0: counting from March puts the leap day last in a year.
    days = seconds // 86400 + 719468
    era = days // 146097
    of_era = days - era * 146097
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, day


def _year_start(year: int) -> int:
    before = year - 1
    return ((before * 365 + before // 4 - before // 100 + before // 400) - 719162) * 86400


def strftime(text: str, seconds: int, milliseconds: int = 0) -> str:
    """``text`` with strftime directives replaced."""
    year, month, day = civil(seconds)
    hour, minute, second = seconds // 3600 % 24, seconds // 60 % 60, seconds % 60
    weekday = _DAYS[seconds // 86400 % 7]
    number = (seconds - _year_start(year)) // 86400 + 1
    values = {
        "Y": f"{year}", "y": f"{year % 100:02d}", "m": f"{month:02d}", "d": f"{day:02d}", "e": f"{day:2d}", "H": f"{hour:02d}",
        "I": f"{(hour + 11) % 12 + 1:02d}", "M": f"{minute:02d}", "S": f"{second:02d}", "N": f"{milliseconds:03d}000000", "s": f"{seconds}",
        "a": weekday[:3], "A": weekday, "b": _MONTHS[month - 1][:3], "h": _MONTHS[month - 1][:3], "B": _MONTHS[month - 1],
        "j": f"{number:03d}",
        "Z": "UTC", "z": "+0000", "p": "AM" if hour < 12 else "PM", "n": "\n", "t": "\t", "%": "%",
        "u": str((seconds // 86400 + 3) % 7 + 1),
        "w": str((seconds // 86400 + 4) % 7), "F": f"{year}-{month:02d}-{day:02d}", "T": f"{hour:02d}:{minute:02d}:{second:02d}",
        "R": f"{hour:02d}:{minute:02d}", "D": f"{month:02d}/{day:02d}/{year % 100:02d}",
    }  # fmt: skip
    values["c"] = f"{weekday[:3]} {values['b']} {values['e']} {values['T']} {year}"
    values["x"], values["X"] = values["D"], values["T"]
    # Unknown directives stay as they are; %3N truncates the value to three characters.
    return re.sub(r"%-?([0-9]{0,4})([A-Za-z%])", lambda m: values.get(m.group(2), m.group(0))[: int(m.group(1) or 99)], text)


def parse_time(text: str) -> int | None:
    """Unix time of ``@N`` or ``YYYY-MM-DD[ T]hh:mm[:ss]``, None if it is neither."""
    if re.fullmatch(r"@-?[0-9]{1,12}", text):
        return int(text[1:])
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?Z?", text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(group or 0) for group in match.groups())
    lengths = (31, 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    days = sum(lengths[: month - 1]) + day - 1
    return _year_start(year) + days * 86400 + hour * 3600 + minute * 60 + second


def date(call: Call) -> int:
    """``date [-u] [-d time] [+format]``."""
    seconds, words = call.kernel.wall_s, list(call.argv[1:])
    text = "%a %b %e %H:%M:%S %Z %Y"
    while words:
        word = words.pop(0)
        if word in ("-d", "--date") and words:
            moment = words.pop(0)
            found = seconds if moment == "now" else parse_time(moment)
            if found is None:
                return call.fail(f"invalid date '{moment}'")
            seconds = found
        elif word.startswith(("-I", "--iso")):
            text = "%FT%T+00:00" if "s" in word[2:] else "%F"
        elif word in ("-R", "--rfc-2822", "--rfc-email"):
            text = "%a, %d %b %Y %T +0000"
        elif word.startswith("+"):
            text = word[1:]
    call.charge(32 * len(text))
    call.out(strftime(text, seconds, call.kernel.now_ms % 1000) + "\n")
    return 0
