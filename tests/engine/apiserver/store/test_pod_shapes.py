"""Changes that leave a pod malformed are refused with the decoder's message."""

from typing import Any

import pytest

from tests.engine.apiserver.store.requests import patch, put, refused, web, world_of


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"affinity": 5}, "cannot unmarshal number into Go struct field PodSpec.spec.affinity of type v1.Affinity"),
        ({"containers": [5]}, "cannot unmarshal number into Go struct field PodSpec.spec.containers of type v1.Container"),
        (
            {"dnsConfig": {"searches": "x"}},
            "cannot unmarshal string into Go struct field PodDNSConfig.spec.dnsConfig.searches of type []string",
        ),
    ],
)
def test_patch_with_a_value_of_the_wrong_type_is_refused(spec: dict[str, Any], words: str) -> None:
    data = dict(refused(world_of(web("a")), patch("Pod", "a", {"spec": spec})).data)
    assert data["reason"] == "Invalid" and str(data["message"]).endswith(words)


def test_put_with_a_value_of_the_wrong_type_is_a_bad_request() -> None:
    document = web("a")
    document["spec"]["hostAliases"] = "x"
    data = dict(refused(world_of(web("a")), put(document)).data)
    assert (data["reason"], str(data["message"]).split(":")[0]) == ("BadRequest", 'Pod in version "v1" cannot be handled as a Pod')


def test_null_in_a_put_stands_for_nothing() -> None:
    document = web("a")
    document["spec"]["hostAliases"] = None
    message = str(dict(refused(world_of(web("a")), put(document)).data)["message"])
    assert "hostAliases" not in message.lower()
