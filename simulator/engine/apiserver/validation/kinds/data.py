"""Rules for ConfigMaps and Secrets (pkg/apis/core/validation)."""

import base64
import binascii
from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, required, too_long
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.names import config_key_problems
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, text
from simulator.engine.kernel.json_text import TooDeep, decode

DATA_BYTES_MAX = 1024 * 1024
_ACCOUNT = "kubernetes.io/service-account.name"
_DOCKER_KEYS = {"kubernetes.io/dockercfg": ".dockercfg", "kubernetes.io/dockerconfigjson": ".dockerconfigjson"}
_SSH_KEY = "ssh-privatekey"
_TLS_KEYS = ("tls.crt", "tls.key")
_BASIC_KEYS = ("username", "password")


def _bytes_of(value: object) -> bytes:
    """The bytes encoded in a base64 string; empty for anything else."""
    try:
        return base64.b64decode(value, validate=False) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        return b""


def secret_data(secret: Fields) -> dict[str, bytes]:
    """The content of a Secret: ``data``, overwritten with ``stringData``."""
    written = {key: _bytes_of(value) for key, value in fields(secret, "data").items()}
    plain = {key: str(value or "").encode() for key, value in fields(secret, "stringData").items()}
    # stringData wins, as the server writes it over data before validating.
    return {**written, **plain}


def _config_map_bytes(document: Fields) -> int:
    plain = sum(len(str(value or "").encode()) for value in fields(document, "data").values())
    return plain + sum(len(_bytes_of(value)) for value in fields(document, "binaryData").values())


@kind_rule("CONFIG-MAP-KEYS", "ConfigMap")
def config_map_keys(place: Place) -> Iterator[FieldError]:
    """Keys are valid file names, and no key is in both maps."""
    binary = fields(place.value, "binaryData")
    for key in fields(place.value, "data"):
        yield from (invalid(f"data[{key}]", key, problem) for problem in config_key_problems(key))
        if key in binary:
            yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    for key in binary:
        yield from (invalid(f"binaryData[{key}]", key, problem) for problem in config_key_problems(key))


@kind_rule("CONFIG-MAP-SIZE", "ConfigMap", since=32)
def config_map_size(place: Place) -> Iterator[FieldError]:
    """A ConfigMap holds at most 1 MiB."""
    if _config_map_bytes(place.value) > DATA_BYTES_MAX:
        yield too_long("[]", f"may not be more than {DATA_BYTES_MAX} bytes")


@kind_rule("CONFIG-MAP-SIZE-1.31", "ConfigMap", until=31)
def config_map_size_before(place: Place) -> Iterator[FieldError]:
    """The same in the older wording."""
    if _config_map_bytes(place.value) > DATA_BYTES_MAX:
        yield too_long("[]", f"must have at most {DATA_BYTES_MAX} bytes")


@kind_rule("SECRET-KEYS", "Secret")
def secret_keys(place: Place) -> Iterator[FieldError]:
    """Keys are valid file names."""
    for key in secret_data(place.value):
        yield from (invalid(f"data[{key}]", key, problem) for problem in config_key_problems(key))


def _secret_bytes(place: Place) -> int:
    return sum(len(value) for value in secret_data(place.value).values())


@kind_rule("SECRET-SIZE", "Secret", since=32)
def secret_size(place: Place) -> Iterator[FieldError]:
    """A Secret holds at most 1 MiB."""
    if _secret_bytes(place) > DATA_BYTES_MAX:
        yield too_long("data", f"may not be more than {DATA_BYTES_MAX} bytes")


@kind_rule("SECRET-SIZE-1.31", "Secret", until=31)
def secret_size_before(place: Place) -> Iterator[FieldError]:
    """The same in the older wording."""
    if _secret_bytes(place) > DATA_BYTES_MAX:
        yield too_long("data", f"must have at most {DATA_BYTES_MAX} bytes")


@kind_rule("SECRET-TOKEN", "Secret")
def secret_token(place: Place) -> Iterator[FieldError]:
    """A token Secret must name its service account in an annotation."""
    annotations = fields(fields(place.value, "metadata"), "annotations")
    if text(place.value, "type") == "kubernetes.io/service-account-token" and not text(annotations, _ACCOUNT):
        yield required(f"metadata.annotations[{_ACCOUNT}]")


@kind_rule("SECRET-DOCKER", "Secret")
def secret_docker(place: Place) -> Iterator[FieldError]:
    """Credentials for registries are a JSON object under their key."""
    key = _DOCKER_KEYS.get(text(place.value, "type"))
    if key is None:
        return
    data = secret_data(place.value)
    if key not in data:
        yield required(f"data[{key}]")
    elif problem := _json_problem(data[key]):
        yield invalid(f"data[{key}]", "<secret contents redacted>", problem)


def _json_problem(content: bytes) -> str:
    try:
        found = decode(content.decode())
    except TooDeep as error:
        return str(error)
    except ValueError:
        shown = content.strip()[:1].decode("utf-8", "replace")
        return f"invalid character '{shown}' looking for beginning of value" if shown else "unexpected end of JSON input"
    if isinstance(found, dict) or found is None:
        return ""
    word = "bool" if isinstance(found, bool) else "number" if isinstance(found, int | float) else None
    word = word or ("string" if isinstance(found, str) else "array")
    return f"json: cannot unmarshal {word} into Go value of type map[string]interface {{}}"


@kind_rule("SECRET-BASIC-AUTH", "Secret")
def secret_basic_auth(place: Place) -> Iterator[FieldError]:
    """A Secret for basic authentication must have a username or a password; it may be empty."""
    data = secret_data(place.value)
    if text(place.value, "type") == "kubernetes.io/basic-auth" and not any(key in data for key in _BASIC_KEYS):
        yield from (required(f"data[{key}]") for key in _BASIC_KEYS)


@kind_rule("SECRET-SSH", "Secret")
def secret_ssh(place: Place) -> Iterator[FieldError]:
    """A Secret for SSH must have a private key that is not empty."""
    if text(place.value, "type") == "kubernetes.io/ssh-auth" and not secret_data(place.value).get(_SSH_KEY):
        yield required(f"data[{_SSH_KEY}]")


@kind_rule("SECRET-TLS", "Secret")
def secret_tls(place: Place) -> Iterator[FieldError]:
    """A Secret for TLS must have the keys tls.crt and tls.key; they may be empty."""
    data = secret_data(place.value)
    if text(place.value, "type") == "kubernetes.io/tls":
        yield from (required(f"data[{key}]") for key in _TLS_KEYS if key not in data)
