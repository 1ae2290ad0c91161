"""The Go types behind the spec of a PersistentVolumeClaim. Source: pkg/apis/core/types.go."""

from simulator.engine.apiserver.godiff.fields import GoField, go_fields

CLAIMS: dict[str, tuple[GoField, ...]] = {
    "core.PersistentVolumeClaimSpec": go_fields(
        "AccessModes []string",
        "Selector *v1.LabelSelector",
        "Resources core.ResourceRequirements <=28",
        "Resources core.VolumeResourceRequirements >=29",
        "VolumeName string",
        "StorageClassName,VolumeMode *string",
        "DataSource *core.TypedLocalObjectReference",
        "DataSourceRef *core.TypedLocalObjectReference >=22 <=25",
        "DataSourceRef *core.TypedObjectReference >=26",
        "VolumeAttributesClassName *string >=29",
    ),
    "core.VolumeResourceRequirements": go_fields("Limits,Requests core.ResourceList"),
    "core.TypedLocalObjectReference": go_fields("APIGroup *string", "Kind,Name string"),
    "core.TypedObjectReference": go_fields("APIGroup *string", "Kind,Name string", "Namespace *string"),
}
