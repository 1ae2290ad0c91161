"""Advice about images that cannot be pulled."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import CORRECT_IMAGE, CORRECT_TEMPLATE, DELETE_POD, POD_EVENTS, THE_NODE

REMEDIES = (
    Remedy(
        names=("ErrImagePull", "ImagePullBackOff", "event/BackOff/Normal", "RegistryUnavailable"),
        causes=(
            UsualCause(
                _("The tag or the image does not exist: a typo, or it was never pushed."), r"not ?found|manifest unknown|does not exist"
            ),
            UsualCause(
                _("The registry requires credentials: imagePullSecrets are missing, wrong, or in another namespace."),
                r"unauthorized|denied|authentication|authorization|\b40[13]\b|no basic auth",
                step=1,
            ),
            UsualCause(_("The registry limits how often this address may pull."), r"toomanyrequests|rate limit|\b429\b", step=1),
            UsualCause(
                _("The node cannot reach the registry: DNS, a proxy, a firewall, or a certificate it does not trust."),
                r"no such host|timeout|deadline exceeded|dial tcp|connection refused|x509|EOF|TLS",
                step=2,
            ),
            UsualCause(
                _("The image has no variant for the node’s architecture."), r"no match(ing manifest)? for platform|no matching manifest"
            ),
        ),
        look=(
            POD_EVENTS,
            LookAt(_("Which registry and tag are used."), "kubectl get pod <pod> -o jsonpath='{.spec.containers[*].image}'"),
            LookAt(_("Which Secrets the pod may use for registries."), "kubectl get pod <pod> -o jsonpath='{.spec.imagePullSecrets}'"),
        ),
        steps=(
            CORRECT_IMAGE,
            NextStep(
                _(
                    "Create the registry’s Secret in the pod’s namespace, and name it in imagePullSecrets of a new pod "
                    "or of its ServiceAccount."
                ),
                "kubectl create secret docker-registry <secret> --from-file=.dockerconfigjson=<file>",
                act="apply",
            ),
            NextStep(
                _("Once the registry answers again, just wait: the kubelet retries at the latest every five minutes."),
                "kubectl get pod <pod> --watch",
                act="set_image",
            ),
        ),
        doc="concepts/containers/images/#imagepullbackoff",
    ),
    Remedy(
        names=("ErrImageNeverPull",),
        causes=(
            UsualCause(_("imagePullPolicy is Never, and the image was never loaded onto this node.")),
            UsualCause(_("The image was loaded under another name or tag than the pod asks for.")),
        ),
        look=(
            POD_EVENTS,
            LookAt(
                _("Which images the node has (as far as it reports them)."),
                "kubectl get node <node> -o jsonpath='{.status.images[*].names}'",
            ),
        ),
        steps=(
            NextStep(
                _("Load the image onto the node (for example kind load docker-image); the kubelet tries again."),
                "kind load docker-image <image>",
                act="set_image",
            ),
            NextStep(
                _("Replace the pod with one that has imagePullPolicy IfNotPresent: the policy of a pod cannot be changed."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="concepts/containers/images/#image-pull-policy",
    ),
    Remedy(
        names=("InvalidImageName", "InspectFailed"),
        causes=(
            UsualCause(_("The name is not a valid reference: an upper-case letter, a space, https:// in front, or an empty tag.")),
            UsualCause(_("A variable of a template was not filled in, such as ${TAG}."), r"\$|\{\{"),
        ),
        look=(
            POD_EVENTS,
            LookAt(_("The name as it was stored."), "kubectl get pod <pod> -o jsonpath='{.spec.containers[*].image}'"),
        ),
        steps=(
            CORRECT_IMAGE,
            CORRECT_TEMPLATE,
        ),
        doc="concepts/containers/images/#image-names",
    ),
    Remedy(
        names=("ImageInspectError",),
        causes=(UsualCause(_("The container runtime could not say whether it has the image: its store is damaged or its disk is full.")),),
        look=(
            POD_EVENTS,
            THE_NODE,
            LookAt(_("What the runtime itself says, on the node."), "crictl images"),
        ),
        steps=(
            NextStep(
                _("Free space or restart the runtime on the node; meanwhile keep new pods away from it."),
                "kubectl cordon <node>",
                act="cordon",
            ),
            DELETE_POD,
        ),
        doc="concepts/containers/images/",
    ),
)
