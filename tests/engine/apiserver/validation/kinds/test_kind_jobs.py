"""Rejected Jobs and CronJobs, with their messages."""

import pytest

POD = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.28"}]}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"spec": POD}}}
INDEXED = {"spec.completionMode": "Indexed", "spec.completions": 5}
CRON = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "c"},
    "spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": {"spec": POD}}}},
}
NOT_NEGATIVE = "Invalid value: -1: must be greater than or equal to 0"
RULES = "spec.podFailurePolicy.rules"


def failing(rule: dict) -> dict:
    return {RULES: [rule]}


@pytest.mark.parametrize("minor", [20, 21, 25, 30, 37])
@pytest.mark.parametrize("document", [JOB, CRON])
def test_job_is_accepted_when_it_is_plain(said, document, minor):
    assert said(document, {}, minor) == []


@pytest.mark.parametrize("key", ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"])
def test_number_is_invalid_when_it_is_negative(said, key):
    assert f"spec.{key}: {NOT_NEGATIVE}" in said(JOB, {f"spec.{key}": -1})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"spec.template.spec.restartPolicy": "Always"},
            'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ),
        (
            {"spec.template.spec.restartPolicy": None},
            'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ),
        (
            {"spec.completionMode": "Random"},
            'spec.completionMode: Unsupported value: "Random": supported values: "NonIndexed", "Indexed"',
        ),
        ({"spec.completionMode": "Indexed"}, "spec.completions: Required value: when completion mode is Indexed"),
        ({"spec.backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
        ({**INDEXED, "spec.maxFailedIndexes": 1}, "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"),
        (
            {**INDEXED, "spec.backoffLimitPerIndex": 1, "spec.maxFailedIndexes": 6},
            "spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions",
        ),
        (
            {**INDEXED, "spec.parallelism": 100001},
            "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
        ),
        (
            {**INDEXED, "spec.completions": 100001, "spec.backoffLimitPerIndex": 1},
            "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
        ),
        (
            {**INDEXED, "metadata.name": "j" * 62},
            f'metadata.name: Invalid value: "{"j" * 62}": will not able to create pod with invalid DNS label: {"j" * 62}-4',
        ),
        ({"spec.managedBy": "me"}, 'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'),
        (
            {"spec.selector": {"matchLabels": {"app": "a"}}},
            'spec.selector: Invalid value: {"matchLabels":{"app":"a"}}: `selector` not auto-generated',
        ),
        ({"spec.manualSelector": True}, "spec.selector: Required value"),
        (
            {"spec.manualSelector": True, "spec.selector": {"matchLabels": {"app": "a"}}},
            "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
        ),
        (
            {"spec.podReplacementPolicy": "Soon"},
            'spec.podReplacementPolicy: Unsupported value: "Soon": supported values: "Failed", "TerminatingOrFailed"',
        ),
    ],
)
def test_job_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(JOB, changes) == [expected]


def test_restart_policy_is_unsupported_when_the_version_is_before_1_24(said):
    expected = 'spec.template.spec.restartPolicy: Unsupported value: "Always": supported values: "OnFailure", "Never"'
    assert said(JOB, {"spec.template.spec.restartPolicy": None}, 23) == [expected]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            {"onExitCodes": {"operator": "In", "values": [1]}},
            '[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        ),
        (
            {"action": "Panic", "onExitCodes": {"operator": "In", "values": [1]}},
            '[0].action: Unsupported value: "Panic": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        ),
        (
            {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}},
            '[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        ),
        ({"action": "Count"}, "[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"),
        (
            {
                "action": "Count",
                "onExitCodes": {"operator": "In", "values": [1]},
                "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
            },
            "[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": []}},
            "[0].onExitCodes.values: Invalid value: null: at least one value is required",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [0]}},
            "[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [1, 1]}},
            "[0].onExitCodes.values[1]: Duplicate value: 1",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [2, 1]}},
            "[0].onExitCodes.values: Invalid value: [2,1]: must be ordered",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "Over", "values": [1]}},
            '[0].onExitCodes.operator: Unsupported value: "Over": supported values: "In", "NotIn"',
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [1], "containerName": "x"}},
            '[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
        ),
        (
            {"action": "Count", "onPodConditions": [{"type": "DisruptionTarget", "status": "Maybe"}]},
            '[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
        ),
    ],
)
def test_failure_policy_is_rejected_when_a_rule_is_wrong(said, rule, expected):
    assert said(JOB, failing(rule)) == [f"{RULES}{expected}"]


def test_failure_policy_is_too_long_when_it_has_21_rules(said):
    rule = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
    assert said(JOB, {RULES: [rule] * 21}) == [f"{RULES}: Too many: 21: must have at most 20 items"]


def test_failure_policy_needs_pods_that_never_restart(said):
    rule = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
    changes = {**failing(rule), "spec.template.spec.restartPolicy": "OnFailure"}
    expected = 'Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified'
    assert said(JOB, changes) == [f"spec.template.spec.restartPolicy: {expected}"]


def test_failure_policy_is_not_looked_at_when_the_version_drops_it(said):
    assert said(JOB, failing({"action": "Panic"}), 25) == []


def success(rule: dict) -> dict:
    return {**INDEXED, "spec.successPolicy.rules": [rule]}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, ": Required value: at least one of succeededCount or succeededIndexes must be specified"),
        (
            {"succeededCount": 6},
            ".succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)",
        ),
        (
            {"succeededCount": 3, "succeededIndexes": "0-1"},
            ".succeededCount: Invalid value: 3: "
            "must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
        ),
        (
            {"succeededIndexes": "0-5"},
            '.succeededIndexes: Invalid value: "0-5": error parsing succeededIndexes: too large index: "5"',
        ),
        (
            {"succeededIndexes": "2,1"},
            '.succeededIndexes: Invalid value: "2,1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
        ),
        (
            {"succeededIndexes": "a"},
            '.succeededIndexes: Invalid value: "a": error parsing succeededIndexes: cannot convert string to integer for index: "a"',
        ),
    ],
)
def test_success_policy_is_rejected_when_a_rule_is_wrong(said, rule, expected):
    assert said(JOB, success(rule)) == [f"spec.successPolicy.rules[0]{expected}"]


def test_success_policy_is_accepted_when_it_names_indexes(said):
    assert said(JOB, success({"succeededIndexes": "0-2,4", "succeededCount": 2})) == []


def test_success_policy_needs_indexes(said):
    expected = 'spec.successPolicy: Invalid value: {"rules":[]}: requires indexed completion mode'
    assert said(JOB, {"spec.successPolicy": {"rules": []}}) == [expected]


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("@never", "unrecognized descriptor: @never"),
        ("@every five", 'failed to parse duration @every five: time: invalid duration "five"'),
    ],
)
def test_schedule_is_invalid_when_it_is_malformed(said, schedule, problem):
    assert said(CRON, {"spec.schedule": schedule}) == [f'spec.schedule: Invalid value: "{schedule}": {problem}']


@pytest.mark.parametrize("schedule", ["CRON_TZ=Etc/UTC */20 * * * *", "TZ=America/New_York 10 19 31 12 *"])
@pytest.mark.parametrize("minor", [20, 21])
def test_time_zone_in_a_schedule_is_a_sixth_field_until_1_21(said, schedule, minor):
    problem = f"Expected exactly 5 fields, found 6: {schedule}"
    assert said(CRON, {"spec.schedule": schedule}, minor) == [f'spec.schedule: Invalid value: "{schedule}": {problem}']
    assert said(CRON, {"spec.schedule": schedule}, 22) == []


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("* * * *", "Expected exactly 5 fields, found 4: * * * *"),
        ("60 * * * *", "End of range (60) above maximum (59): 60"),
        ("@never", "Unrecognized descriptor: @never"),
        ("TZ=UTC @daily", "Expected exactly 5 fields, found 2: TZ=UTC @daily"),
    ],
)
def test_parser_of_1_20_and_1_21_begins_what_it_says_with_a_capital(said, schedule, problem):
    assert said(CRON, {"spec.schedule": schedule}, 21) == [f'spec.schedule: Invalid value: "{schedule}": {problem}']


@pytest.mark.parametrize("schedule", ["0 0 1 jan sun", "@daily", "@every 1h30m", "0,30 8-18/2 * * MON-FRI", "? * ? * ?"])
def test_schedule_is_accepted_when_it_is_well_formed(said, schedule):
    assert said(CRON, {"spec.schedule": schedule}) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec.schedule": ""}, "spec.schedule: Required value"),
        (
            {"spec.schedule": "TZ=UTC * * * * *"},
            'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
        ),
        ({"spec.timeZone": "Europe/Atlantis"}, 'spec.timeZone: Invalid value: "Europe/Atlantis": unknown time zone Europe/Atlantis'),
        ({"spec.timeZone": ""}, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'),
        (
            {"spec.timeZone": "Local"},
            'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
        ),
        (
            {"spec.concurrencyPolicy": "Sometimes"},
            'spec.concurrencyPolicy: Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"',
        ),
        ({"spec.startingDeadlineSeconds": -1}, f"spec.startingDeadlineSeconds: {NOT_NEGATIVE}"),
        ({"spec.failedJobsHistoryLimit": -1}, f"spec.failedJobsHistoryLimit: {NOT_NEGATIVE}"),
        ({"metadata.name": "c" * 53}, f'metadata.name: Invalid value: "{"c" * 53}": must be no more than 52 characters'),
        (
            {"spec.jobTemplate.spec.selector": {"matchLabels": {"a": "b"}}},
            'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
        ),
        ({"spec.jobTemplate.spec.backoffLimit": -1}, f"spec.jobTemplate.spec.backoffLimit: {NOT_NEGATIVE}"),
        (
            {"spec.jobTemplate.spec.template.spec.containers": []},
            "spec.jobTemplate.spec.template.spec.containers: Required value",
        ),
    ],
)
def test_cron_job_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(CRON, changes) == [expected]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Etc/UTC", "America/Argentina/Buenos_Aires"])
def test_time_zone_is_accepted_when_it_exists(said, zone):
    assert said(CRON, {"spec.timeZone": zone}) == []


def test_time_zone_is_said_once_when_the_schedule_may_hold_it(said):
    changes = {"spec.schedule": "TZ=UTC * * * * *", "spec.timeZone": "UTC"}
    expected = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
    assert said(CRON, changes, 28) == [f'spec.schedule: Invalid value: "TZ=UTC * * * * *": {expected}']


def test_name_is_the_value_of_a_label_of_the_pods(said):
    assert said(JOB, {"metadata.name": "j" * 63}) == []
    assert said(JOB, {"metadata.name": "j" * 64}) == [
        f'spec.template.labels: Invalid value: "{"j" * 64}": must be no more than 63 characters'
    ]
