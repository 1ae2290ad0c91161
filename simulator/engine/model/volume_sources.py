"""The sources a volume may have, in the order in which the API server checks them (VolumeSource, core/v1 types.go)."""

VOLUME_SOURCES = (
    *("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs", "flocker"),
    *("persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume", "configMap", "azureFile"),
    *("vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk", "storageos", "projected", "scaleIO", "csi"),
    *("ephemeral", "image"),
)
"""In the order in which the API server checks them."""
