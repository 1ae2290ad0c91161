"""Advice about volumes."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import CLAIMS, CREATE_MISSING, POD_EVENTS

RELEASE = NextStep(
    _("Once its data is not needed, make the volume available again: remove its claimRef."),
    'kubectl patch pv <volume> --type=merge -p \'{"spec":{"claimRef":null}}\'',
    act="patch",
)

REMEDIES = (
    Remedy(
        names=("FailedMount", "FailedMapVolume"),
        causes=(
            UsualCause(
                _("A ConfigMap or Secret that a volume names does not exist in the pod’s namespace."), r"(configmap|secret) .*not found"
            ),
            UsualCause(_("It exists, but not with the key that items names."), r"non-existent config key|references non-existent"),
            UsualCause(
                _("The volume is not attached to the node yet: see FailedAttachVolume."), r"not attached|Multi-Attach|unattached", step=1
            ),
            UsualCause(_("The path of a hostPath volume is not there, or is of another type."), r"hostPath", step=2),
            UsualCause(
                _("The storage server does not answer, or the node lacks the tools for it (NFS, iSCSI, CSI driver)."),
                r"timed out|timeout|mount failed|driver name",
                step=1,
            ),
        ),
        look=(
            POD_EVENTS,
            CLAIMS,
            LookAt(_("Which ConfigMaps and Secrets the namespace has."), "kubectl get configmap,secret"),
        ),
        steps=(
            CREATE_MISSING,
            NextStep(_("Look at the claim, its volume and the CSI driver of the node."), "kubectl describe pvc <claim>"),
            NextStep(_("Correct the volume in the template."), "kubectl edit deployment/<deployment>", act="patch"),
        ),
        doc="concepts/storage/volumes/",
    ),
    Remedy(
        names=("FailedAttachVolume",),
        meaning=_("The attach/detach controller could not attach a volume to the node."),
        causes=(
            UsualCause(
                _("The volume is still attached to another node: its access mode is ReadWriteOnce, and the old pod is not gone yet."),
                r"Multi-Attach",
            ),
            UsualCause(
                _("The old node is off, and the controller waits some minutes before it detaches by force."),
                r"Multi-Attach|unreachable",
                step=1,
            ),
            UsualCause(
                _("The disk does not exist, is in another zone, or the driver may not attach it."),
                r"not ?found|zone|denied|permission",
                step=2,
            ),
            UsualCause(_("The node has as many disks as it can take."), r"maximum|limit|exceed", step=2),
        ),
        look=(
            POD_EVENTS,
            LookAt(_("Which node each volume is attached to."), "kubectl get volumeattachments"),
        ),
        steps=(
            NextStep(
                _("Wait for the old pod to end; with one replica, use the strategy Recreate."),
                'kubectl patch deployment/<deployment> -p \'{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}\'',
                act="patch",
            ),
            NextStep(
                _("If the old node is definitely off, taint it as out of service; its volumes are detached."),
                "kubectl taint node <node> node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
                act="taint",
            ),
            NextStep(_("Look at volume and driver."), "kubectl describe pv <volume>"),
        ),
        doc="concepts/storage/persistent-volumes/#access-modes",
    ),
    Remedy(
        names=("FailedBinding", "ProvisioningFailed"),
        meaning=_("A PersistentVolumeClaim has no volume, so pods that use it stay Pending."),
        causes=(
            UsualCause(
                _("No volume fits, and the claim names no StorageClass (there is no default one either)."),
                r"no persistent volumes available",
            ),
            UsualCause(_("The StorageClass it names does not exist."), r"storageclass.*not found"),
            UsualCause(_("The provisioner is not running, or the storage quota is used up."), r"provision|quota"),
            UsualCause(
                _("The volume it names is kept for another claim: a Released volume keeps the uid of the claim that is gone."),
                r"already bound to a different claim",
                step=1,
            ),
        ),
        look=(
            CLAIMS,
            LookAt(_("Which classes there are, and the default."), "kubectl get storageclass"),
        ),
        steps=(
            NextStep(
                _("Create the volume or class, or create the claim again with a class that exists."), "kubectl apply -f <file>", act="apply"
            ),
            RELEASE,
        ),
        doc="concepts/storage/persistent-volumes/#binding",
    ),
    Remedy(
        names=("VolumeMismatch",),
        meaning=_("The PersistentVolumeClaim names a volume that does not meet what it asks for: it stays Pending and takes no other."),
        causes=(
            UsualCause(_("It asks for more than the volume’s capacity."), r"too small"),
            UsualCause(
                _("Their storageClassName differs: a claim without one gets the default class, which only an empty text prevents."),
                r"storageClassName",
            ),
            UsualCause(_("The volume does not offer an access mode that the claim asks for."), r"accessMode"),
            UsualCause(_("One of them is a raw block device, the other a file system."), r"volumeMode"),
            UsualCause(_("The volume is being deleted."), r"marked for deletion"),
        ),
        look=(
            CLAIMS,
            LookAt(_("What the volume offers: capacity, access modes, class, claim."), "kubectl get pv"),
        ),
        steps=(
            NextStep(
                _("Delete the claim and create it with what the volume offers: these fields cannot be changed."),
                "kubectl replace --force -f <file>",
                act="apply",
            ),
        ),
        doc="concepts/storage/persistent-volumes/#binding",
    ),
    Remedy(
        names=("WaitForFirstConsumer", "WaitForPodScheduled", "ExternalProvisioning"),
        meaning=_("The claim waits, as it should: for a pod that uses it, or for the provisioner."),
        causes=(
            UsualCause(_("No pod uses the claim yet, or that pod has no node yet.")),
            UsualCause(_("The provisioner of the class is slow or not running."), r"external provisioner|ExternalProvisioning"),
        ),
        look=(CLAIMS,),
        steps=(NextStep(_("Find out why the pod that uses it is not scheduled."), "kubectl describe pvc <claim>"),),
        doc="concepts/storage/storage-classes/#volume-binding-mode",
    ),
    Remedy(
        names=("VolumeFailedDelete",),
        causes=(UsualCause(_("The volume is still attached or in use, or its driver is missing.")),),
        look=(LookAt(_("Volumes with their state."), "kubectl get pv"),),
        steps=(NextStep(_("End the pods that use it; deletion is tried again."), "kubectl delete pod <pod>", act="delete_pod"),),
        doc="concepts/storage/persistent-volumes/#reclaiming",
    ),
)
