"""The difference of two specs as a server prints it."""

import pytest

from simulator.engine.apiserver.validation.go_diff import object_diff
from simulator.engine.kernel.json_text import Json


def report(one: Json, other: Json, *, minor: int = 20, kind: str = "PodSpec") -> list[str]:
    """The lines of the report without invisible blanks, and with tabs as dots."""
    text = object_diff(kind, one, other, minor=minor)
    assert text.endswith("\n")
    return [line.replace("\u00a0", " ").replace("\t", ".") for line in text.splitlines()]


def test_changed_field_stands_between_its_neighbours() -> None:
    assert report({"hostname": "a"}, {"hostname": "b"}) == [
        "  core.PodSpec{",
        "  .... // 12 identical fields",
        "  .SecurityContext:   &{},",
        "  .ImagePullSecrets:  nil,",
        '- .Hostname:          "a",',
        '+ .Hostname:          "b",',
        '  .Subdomain:         "",',
        "  .SetHostnameAsFQDN: nil,",
        "  .... // 13 identical fields",
        "  }",
    ]


@pytest.mark.parametrize(("minor", "fields"), [(20, 13), (23, 14), (26, 16), (37, 20)])
def test_fields_are_those_of_the_version(minor: int, fields: int) -> None:
    assert report({"subdomain": "a"}, {"subdomain": "b"}, minor=minor)[-2].endswith(f"// {fields - 1} identical fields")


def test_field_of_one_version_only_is_counted_there_only() -> None:
    assert any("HostnameOverride" in line for line in report({"subdomain": "a"}, {"subdomain": "b"}, minor=34))


def test_single_field_at_the_edge_is_shown_rather_than_counted() -> None:
    lines = report({"value": "1"}, {"value": "2"}, kind="EnvVar")
    assert lines == ["  core.EnvVar{", '  .Name:      "",', '- .Value:     "1",', '+ .Value:     "2",', "  .ValueFrom: nil,", "  }"]


def test_what_was_added_is_shown_with_types_and_cut_where_it_is_deep() -> None:
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 10}
    lines = report({"livenessProbe": probe}, {}, kind="Container")
    assert "- .LivenessProbe: &core.Probe{" in lines
    assert '- ..Handler:       core.Handler{HTTPGet: &core.HTTPGetAction{Path: "/", Port: intstr.IntOrString{...}}},' in lines
    assert "+ .LivenessProbe:  nil," in lines


def test_handler_of_a_probe_has_its_newer_name() -> None:
    lines = report({"livenessProbe": {"exec": {"command": ["a"]}}}, {}, kind="Container", minor=30)
    assert any("core.ProbeHandler{Exec: &core.ExecAction{Command: []string{...}}}" in line for line in lines)


def test_quantity_is_shown_as_number_and_power_of_ten() -> None:
    one, other = ({"limits": {"cpu": "1500m", "memory": memory}} for memory in ("64Mi", "1G"))
    lines = report(one, other, kind="ResourceRequirements")
    assert '  ..s"cpu":    {i: {...}, s: "1500m", Format: "DecimalSI"},' in lines
    assert '- ..s"memory": {i: resource.int64Amount{value: 67108864}, s: "64Mi", Format: "BinarySI"},' in lines
    assert '+ ..s"memory": {i: resource.int64Amount{value: 1, scale: 9}, s: "1G", Format: "DecimalSI"},' in lines


def test_host_network_stands_in_the_security_context() -> None:
    lines = report({"hostNetwork": True, "securityContext": {}}, {"securityContext": {}})
    assert lines[4:7] == ["  .SecurityContext: &core.PodSecurityContext{", "- ..HostNetwork: true,", "+ ..HostNetwork: false,"]


def test_item_of_a_list_is_found_again_when_another_comes_before_it() -> None:
    one, two = {"name": "a", "value": "1"}, {"name": "b", "value": "2"}
    lines = report({"env": [one]}, {"env": [two, one]}, kind="Container")
    assert '+ ..{Name: "b", Value: "2"},' in lines and '  ..{Name: "a", Value: "1"},' in lines


def test_type_that_is_not_known_is_shown_by_what_it_holds() -> None:
    lines = report({"photonPersistentDisk": {"pdID": "x"}}, {"emptyDir": {}}, kind="VolumeSource")
    assert '- .PhotonPersistentDisk: &core.PhotonPersistentDiskVolumeSource{PdID: "x"},' in lines


def test_text_with_quotes_stands_in_back_quotes() -> None:
    assert '- .Value:     `say "hi"`,' in report({"value": 'say "hi"'}, {"value": ""}, kind="EnvVar")


def test_long_text_is_taken_apart_around_its_difference() -> None:
    one, other = (f"node-10-66-{middle}.eu-central-1.example.internal" for middle in ("122-24", "148-166"))
    assert report({"value": one}, {"value": other}, kind="EnvVar", minor=30) == [
        "  core.EnvVar{",
        '  .Name: "",',
        "  .Value: strings.Join({",
        '  .."node-10-66-1",',
        '- .."22-24",',
        '+ .."48-166",',
        '  ..".eu-central-1.example.internal",',
        '  .}, ""),',
        "  .ValueFrom: nil,",
        "  }",
    ]


@pytest.mark.parametrize(("minor", "is_apart"), [(22, False), (23, True)])
def test_text_of_middling_length_counts_as_long_since_1_23(minor: int, is_apart: bool) -> None:
    lines = report({"value": "x" * 40 + "a"}, {"value": "x" * 40 + "b"}, kind="EnvVar", minor=minor)
    assert any("strings.Join" in line for line in lines) is is_apart


def test_much_that_is_the_same_in_long_texts_is_counted() -> None:
    lines = report({"value": "x" * 300 + "a"}, {"value": "x" * 300 + "b"}, kind="EnvVar", minor=30)
    assert lines[3] == "  ..... // 172 identical bytes" and lines[4] == f'  .."{"x" * 64}",'


SCRIPT = "set -e\necho one\necho two\necho three\necho four\necho five\nsleep 10 && exit 0"


def script_report(new: str) -> list[str]:
    """The report about the script alone."""
    lines = report({"command": ["sh", "-c", SCRIPT]}, {"command": ["sh", "-c", new]}, kind="Container", minor=30)
    return [line.replace(".", "") for line in lines[lines.index('  .."-c",') + 1 : -5]]


def test_script_is_compared_line_by_line() -> None:
    assert script_report(SCRIPT.replace("exit 0", "exit 1")) == [
        "  (",
        '  """',
        "   // 4 identical lines",
        "  echo four",
        "  echo five",
        "- sleep 10 && exit 0",
        "+ sleep 10 && exit 1",
        '  """',
        "  ),",
    ]


def test_lines_that_differ_in_blanks_alone_are_quoted() -> None:
    found = script_report(SCRIPT.replace("echo five", "  echo five"))
    assert found[0] == "  stringsJoin({" and '- "echo five",' in found and '+ "  echo five",' in found
