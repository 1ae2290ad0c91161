"""The syntax of names, with the official texts (source: apimachinery/pkg/util/validation/validation.go)."""

import re

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_NAME_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_OLD_ENV_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*", re.ASCII)
_ENV_NAME = re.compile(r"[ -<>-~]+")
_PORT_NAME = re.compile(r"[-a-z0-9]+", re.ASCII)
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+", re.ASCII)

_HEADER = re.compile(r"[-A-Za-z0-9]+", re.ASCII)
_UNDERSCORED_SUBDOMAIN = re.compile(r"[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?(\.[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?)*", re.ASCII)

LABEL_MAX = 63
SUBDOMAIN_MAX = 253
PORT_NAME_MAX = 15

LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
NAME_PART_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
OLD_ENV_NAME_RULE = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a "
    "digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
)
ENV_NAME_RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='"
CONFIG_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', "
    "regex used for validation is '[-._a-zA-Z0-9]+')"
)

HEADER_RULE = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is "
    "'[-A-Za-z0-9]+')"
)
UNDERSCORED_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?(\.[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?)*')"
)


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


def label_problems(text: str) -> list[str]:
    """What is wrong with a DNS-1123 label."""
    problems = [] if len(text) <= LABEL_MAX else [_too_long(LABEL_MAX)]
    return problems if _LABEL.fullmatch(text) else [*problems, LABEL_RULE]


def subdomain_problems(text: str) -> list[str]:
    """What is wrong with a DNS-1123 subdomain."""
    problems = [] if len(text) <= SUBDOMAIN_MAX else [_too_long(SUBDOMAIN_MAX)]
    return problems if all(map(_LABEL.fullmatch, text.split("."))) else [*problems, SUBDOMAIN_RULE]


def qualified_name_problems(text: str) -> list[str]:
    """What is wrong with a qualified name (``example.com/name`` or ``name``)."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return [f"a qualified name {NAME_PART_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    problems = []
    if slash and not prefix:
        problems.append("prefix part must be non-empty")
    elif slash:
        problems += [f"prefix part {problem}" for problem in subdomain_problems(prefix)]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name) > LABEL_MAX:
        problems.append(f"name part {_too_long(LABEL_MAX)}")
    return problems if _NAME_PART.fullmatch(name) else [*problems, f"name part {NAME_PART_RULE}"]


def masked(prefix: str) -> str:
    """A prefix as a name: its trailing hyphen stands for more to come."""
    # upstream replaces the last two characters, not the hyphen alone (maskTrailingDash).
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def underscored_subdomain_problems(text: str) -> list[str]:
    """What is wrong with a DNS-1123 subdomain in which underscores are allowed."""
    problems = [] if len(text) <= SUBDOMAIN_MAX else [_too_long(SUBDOMAIN_MAX)]
    return problems if _UNDERSCORED_SUBDOMAIN.fullmatch(text) else [*problems, UNDERSCORED_SUBDOMAIN_RULE]


def header_problems(text: str) -> list[str]:
    """What is wrong with the name of an HTTP header."""
    return [] if _HEADER.fullmatch(text) else [HEADER_RULE]


def label_value_problems(text: str) -> list[str]:
    """What is wrong with the value of a label."""
    problems = [] if len(text) <= LABEL_MAX else [_too_long(LABEL_MAX)]
    return problems if not text or _NAME_PART.fullmatch(text) else [*problems, LABEL_VALUE_RULE]


def env_name_problems(text: str) -> list[str]:
    """What is wrong with a variable's name from 1.32 on."""
    return [] if _ENV_NAME.fullmatch(text) else [ENV_NAME_RULE]


def old_env_name_problems(text: str) -> list[str]:
    """What is wrong with a variable's name before 1.32."""
    return [*([] if _OLD_ENV_NAME.fullmatch(text) else [OLD_ENV_NAME_RULE]), *_directory_problems(text)]


def _directory_problems(text: str) -> list[str]:
    """What is wrong with a name that, as a file name, would be another directory."""
    if text in (".", ".."):
        return [f"must not be '{text}'"]
    return ["must not start with '..'"] if text.startswith("..") else []


def port_name_problems(text: str, *, letters: str) -> list[str]:
    """What is wrong with a port's name; ``letters`` is the version's text for "at least one …"."""
    problems = [] if len(text) <= PORT_NAME_MAX else [_too_long(PORT_NAME_MAX)]
    if not _PORT_NAME.fullmatch(text):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        problems.append(letters)
    if "--" in text:
        problems.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def config_key_problems(text: str) -> list[str]:
    """What is wrong with a key of a ConfigMap or Secret."""
    problems = [] if len(text) <= SUBDOMAIN_MAX else [_too_long(SUBDOMAIN_MAX)]
    if not _CONFIG_KEY.fullmatch(text):
        problems.append(CONFIG_KEY_RULE)
    return [*problems, *_directory_problems(text)]
