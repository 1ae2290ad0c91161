"""What several words share: where to look, and what to do."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep

POD_EVENTS = LookAt(_("The Events at the end, oldest first."), "kubectl describe pod <pod>")
PREVIOUS_LOGS = LookAt(_("The last output of the instance that ended."), "kubectl logs <pod> -c <container> --previous")
LOGS = LookAt(_("What the container writes now."), "kubectl logs <pod> -c <container>")
POD_YAML = LookAt(_("State, last state and conditions in full."), "kubectl get pod <pod> -o yaml")
THE_NODE = LookAt(_("Conditions, taints and what is allocated."), "kubectl describe node <node>")
ALL_NODES = LookAt(_("Which nodes are Ready, and their versions."), "kubectl get nodes -o wide")
POD_USE = LookAt(_("What the containers use at present (needs metrics-server)."), "kubectl top pod <pod> --containers")
CLAIMS = LookAt(_("Whether the claim is Bound."), "kubectl get pvc")
CORRECT_IMAGE = NextStep(
    _("Correct the image in place; change the template of its controller too, if it has one."),
    "kubectl set image pod/<pod> <container>=<image>",
    act="set_pod_image",
)
UNDO_ROLLOUT = NextStep(_("Go back to the revision that worked."), "kubectl rollout undo deployment/<deployment>", act="rollout_undo")
CORRECT_TEMPLATE = NextStep(
    _("Correct the template of the controller; it replaces the pods."), "kubectl edit deployment/<deployment>", act="patch"
)
DELETE_POD = NextStep(
    _("Delete the pod: its controller creates a new one, placed again by the scheduler."), "kubectl delete pod <pod>", act="delete_pod"
)
CREATE_MISSING = NextStep(_("Create the missing object; the kubelet tries again by itself."), "kubectl apply -f <file>", act="apply")
ADD_NODE = NextStep(_("Add a node, or make one larger."), act="join_node")
RESIZE_IN_PLACE = NextStep(
    _("Request less in place, where the cluster can resize running pods."),
    "kubectl patch pod <pod> --subresource resize -p '<patch>'",
    act="resize_pod",
)
