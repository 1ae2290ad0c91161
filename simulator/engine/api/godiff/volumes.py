"""The Go types behind volumes (pkg/apis/core/types.go). Sources that are not here are shown by what their JSON holds."""

from simulator.engine.api.godiff.fields import Field, go_fields

VOLUMES: dict[str, tuple[Field, ...]] = {
    "core.Volume": go_fields("Name string", "VolumeSource core.VolumeSource"),
    "core.VolumeSource": go_fields(
        "HostPath *core.HostPathVolumeSource",
        "EmptyDir *core.EmptyDirVolumeSource",
        "GCEPersistentDisk *core.GCEPersistentDiskVolumeSource",
        "AWSElasticBlockStore *core.AWSElasticBlockStoreVolumeSource",
        "GitRepo *core.GitRepoVolumeSource",
        "Secret *core.SecretVolumeSource",
        "NFS *core.NFSVolumeSource",
        "ISCSI *core.ISCSIVolumeSource",
        "Glusterfs *core.GlusterfsVolumeSource",
        "PersistentVolumeClaim *core.PersistentVolumeClaimVolumeSource",
        "RBD *core.RBDVolumeSource",
        "Quobyte *core.QuobyteVolumeSource",
        "FlexVolume *core.FlexVolumeSource",
        "Cinder *core.CinderVolumeSource",
        "CephFS *core.CephFSVolumeSource",
        "Flocker *core.FlockerVolumeSource",
        "DownwardAPI *core.DownwardAPIVolumeSource",
        "FC *core.FCVolumeSource",
        "AzureFile *core.AzureFileVolumeSource",
        "ConfigMap *core.ConfigMapVolumeSource",
        "VsphereVolume *core.VsphereVirtualDiskVolumeSource",
        "AzureDisk *core.AzureDiskVolumeSource",
        "PhotonPersistentDisk *core.PhotonPersistentDiskVolumeSource",
        "Projected *core.ProjectedVolumeSource",
        "PortworxVolume *core.PortworxVolumeSource",
        "ScaleIO *core.ScaleIOVolumeSource",
        "StorageOS *core.StorageOSVolumeSource",
        "CSI *core.CSIVolumeSource",
        "Ephemeral *core.EphemeralVolumeSource",
        "Image *core.ImageVolumeSource >=31",
    ),
    "core.HostPathVolumeSource": go_fields("Path string", "Type *string"),
    "core.EmptyDirVolumeSource": go_fields("Medium string", "SizeLimit *quantity"),
    "core.SecretVolumeSource": go_fields("SecretName string", "Items []core.KeyToPath", "DefaultMode *int", "Optional *bool"),
    "core.ConfigMapVolumeSource": go_fields(
        "LocalObjectReference core.LocalObjectReference", "Items []core.KeyToPath", "DefaultMode *int", "Optional *bool"
    ),
    "core.KeyToPath": go_fields("Key,Path string", "Mode *int"),
    "core.PersistentVolumeClaimVolumeSource": go_fields("ClaimName string", "ReadOnly bool"),
    "core.DownwardAPIVolumeSource": go_fields("Items []core.DownwardAPIVolumeFile", "DefaultMode *int"),
    "core.DownwardAPIVolumeFile": go_fields(
        "Path string", "FieldRef *core.ObjectFieldSelector", "ResourceFieldRef *core.ResourceFieldSelector", "Mode *int"
    ),
    "core.ProjectedVolumeSource": go_fields("Sources []core.VolumeProjection", "DefaultMode *int"),
    "core.VolumeProjection": go_fields(
        "Secret *core.SecretProjection",
        "DownwardAPI *core.DownwardAPIProjection",
        "ConfigMap *core.ConfigMapProjection",
        "ServiceAccountToken *core.ServiceAccountTokenProjection",
        "ClusterTrustBundle *core.ClusterTrustBundleProjection >=29",
        "PodCertificate *core.PodCertificateProjection >=34",
    ),
    "core.SecretProjection": go_fields("LocalObjectReference core.LocalObjectReference", "Items []core.KeyToPath", "Optional *bool"),
    "core.ConfigMapProjection": go_fields("LocalObjectReference core.LocalObjectReference", "Items []core.KeyToPath", "Optional *bool"),
    "core.DownwardAPIProjection": go_fields("Items []core.DownwardAPIVolumeFile"),
    "core.ServiceAccountTokenProjection": go_fields("Audience string", "ExpirationSeconds int", "Path string"),
}
