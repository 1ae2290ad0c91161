"""Valid volumes of a new pod."""

import pytest

from tests.engine.apiserver.validation.pods import wrong, wrong_volume

MODE = "must be a number between 0 and 0777 (octal), both inclusive"
UP = "must not contain '..'"
LUN = "must be between 0 and 255, inclusive"
FIELD = {"fieldRef": {"fieldPath": "metadata.name"}}
CLAIM = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}


@pytest.mark.parametrize(
    ("volume", "texts"),
    [
        ({"emptyDir": {"sizeLimit": "-1"}}, ["emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"]),
        ({"hostPath": {}}, ["hostPath.path: Required value"]),
        ({"gitRepo": {"directory": "../x"}}, ["gitRepo.repository: Required value", f'gitRepo.directory: Invalid value: "../x": {UP}']),
        (
            {"gcePersistentDisk": {"partition": 256}},
            ["persistentDisk.pdName: Required value", "persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive"],
        ),
        ({"awsElasticBlockStore": {}}, ["awsElasticBlockStore.volumeID: Required value"]),
        ({"nfs": {"server": "s", "path": "x"}}, ['nfs.path: Invalid value: "x": must be an absolute path']),
        (
            {"iscsi": {"targetPortal": "h", "iqn": "x", "lun": 0}},
            ['iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa'],
        ),
        ({"iscsi": {"targetPortal": "h", "iqn": "iqn.2015-02.example.com:t", "lun": 256}}, [f"iscsi.lun: Invalid value: 256: {LUN}"]),
        (
            {"iscsi": {"targetPortal": "h", "iqn": "eui.0123456789abcdef", "lun": 1, "chapAuthSession": True}},
            ["iscsi.secretRef: Required value"],
        ),
        ({"glusterfs": {}}, ["glusterfs.endpoints: Required value", "glusterfs.path: Required value"]),
        ({"flocker": {}}, ["flocker: Required value: one of datasetName and datasetUUID is required"]),
        ({"rbd": {}}, ["rbd.monitors: Required value", "rbd.image: Required value"]),
        ({"cephfs": {}}, ["cephfs.monitors: Required value"]),
        ({"cinder": {"volumeID": "c", "secretRef": {}}}, ["cinder.secretRef.name: Required value"]),
        (
            {"quobyte": {"registry": "host", "volume": "q"}},
            ['quobyte.registry: Invalid value: "host": must be a host:port pair or multiple pairs separated by commas'],
        ),
        ({"fc": {"targetWWNs": ["a"]}}, ["fc.lun: Required value: lun is required if targetWWNs is specified"]),
        (
            {"flexVolume": {"driver": "d", "options": {"a.k8s.io/b": "c"}}},
            ['flexVolume.options[a.k8s.io/b]: Invalid value: "a.k8s.io/b": kubernetes.io and k8s.io namespaces are reserved'],
        ),
        ({"azureFile": {}}, ["azureFile.secretName: Required value", "azureFile.shareName: Required value"]),
        (
            {"azureDisk": {"diskName": "d", "diskURI": "u", "cachingMode": "X"}},
            ['azureDisk.cachingMode: Unsupported value: "X": supported values: "None", "ReadOnly", "ReadWrite"'],
        ),
        ({"vsphereVolume": {}}, ["vsphereVolume.volumePath: Required value"]),
        ({"photonPersistentDisk": {}}, ["photonPersistentDisk.pdID: Required value"]),
        ({"portworxVolume": {}}, ["portworxVolume.volumeID: Required value"]),
        ({"storageos": {"volumeName": "s", "secretRef": {}}}, ["storageos.secretRef.name: Required value"]),
        ({"scaleIO": {"gateway": "g", "system": "s"}}, ["scaleIO.volumeName: Required value"]),
        ({"secret": {"secretName": "s", "defaultMode": 512}}, [f"secret.defaultMode: Invalid value: 512: {MODE}"]),
        (
            {"configMap": {"name": "c", "items": [{"key": "k", "path": "..x"}]}},
            ["configMap.items[0].path: Invalid value: \"..x\": must not start with '..'"],
        ),
        ({"downwardAPI": {"items": [{"path": "a"}]}}, ["downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"]),
        ({"downwardAPI": {"items": [{"path": "/a", **FIELD}]}}, ['downwardAPI.path: Invalid value: "/a": must be a relative path']),
        (
            {"image": {"pullPolicy": "X", "reference": "i"}},
            ['image.pullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"'],
        ),
        ({"ephemeral": {}}, ["ephemeral.volumeClaimTemplate: Required value"]),
        (
            {"ephemeral": {"volumeClaimTemplate": {**CLAIM, "metadata": {"name": "x"}}}},
            ["ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set"],
        ),
    ],
)
def test_volume_is_rejected_with_the_official_text(volume, texts):
    assert wrong_volume(volume) == texts


def projected(*sources, **more):
    return {"projected": {"sources": list(sources), **more}}


def test_token_lives_for_ten_minutes_at_least():
    (text,) = wrong_volume(projected({"serviceAccountToken": {"path": "t", "expirationSeconds": 599}}))
    assert text.endswith("expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes")


def test_projected_files_may_not_have_the_same_path():
    source = {"secret": {"name": "s", "items": [{"key": "k", "path": "a"}]}}
    assert wrong_volume(projected(source, source)) == ['projected: Invalid value: "s": conflicting duplicate paths']


def test_projected_source_is_of_one_kind():
    (text,) = wrong_volume(projected({"secret": {"name": "s"}, "configMap": {"name": "c"}}))
    assert text == "projected.sources[0]: Forbidden: may not specify more than 1 volume type per source"


def test_csi_driver_has_a_name_of_at_most_63_characters():
    assert wrong_volume({"csi": {"driver": "d" * 64}}) == ["csi.driver: Too long: may not be more than 63 bytes"]


def test_second_source_of_a_volume_is_forbidden():
    assert wrong_volume({"secret": {"secretName": "s"}, "downwardAPI": {}}) == [
        "downwarAPI: Forbidden: may not specify more than 1 volume type"
    ]


def test_volume_with_an_error_cannot_be_mounted():
    spec = {"volumes": [{"name": "v", "configMap": {}}]}
    texts = wrong(spec, container={"volumeMounts": [{"name": "v", "mountPath": "/v"}]})
    assert texts == ["spec.volumes[0].configMap.name: Required value", 'spec.containers[0].volumeMounts[0].name: Not found: "v"']


def test_claim_may_not_be_one_that_is_made_for_the_pod():
    made = {"name": "e", "ephemeral": {"volumeClaimTemplate": CLAIM}}
    (text,) = wrong({"volumes": [made, {"name": "v", "persistentVolumeClaim": {"claimName": "p-e"}}]})
    assert text.endswith('claimName: Invalid value: "p-e": must not reference a PVC that gets created for an ephemeral volume')


def test_claim_made_for_a_pod_needs_a_short_name():
    (text,) = wrong({"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": CLAIM}}]}, metadata={"name": "p" * 252})
    assert text.startswith('spec.volumes[0].name: Invalid value: "v": PVC name "ppp') and text.endswith(
        "must be no more than 253 characters"
    )


def test_volume_without_a_source_is_an_error_only_after_defaulting():
    assert wrong_volume({}) == []


@pytest.mark.parametrize(
    ("minor", "why"), [(21, "cannot be set for an ephemeral volume"), (25, "cannot be set for an ephemeral volume"), (26, "cannot be set")]
)
def test_template_of_a_claim_has_labels_and_annotations_only(minor, why):
    volume = {"ephemeral": {"volumeClaimTemplate": {**CLAIM, "metadata": {"name": "x", "labels": {"a": "b"}}}}}
    assert wrong_volume(volume, minor=minor) == [f"ephemeral.volumeClaimTemplate.metadata.name: Forbidden: {why}"]


def test_access_mode_for_one_pod_is_known_since_1_27():
    spec = {**CLAIM["spec"], "accessModes": ["ReadWriteOncePod"]}
    volume = {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    assert wrong_volume(volume, minor=27) == []
    assert wrong_volume(volume, minor=26) == [
        'ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "ReadWriteOncePod": '
        'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"'
    ]
