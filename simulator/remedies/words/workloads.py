"""Advice about controllers and what they own."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import CORRECT_TEMPLATE, DELETE_POD, UNDO_ROLLOUT

REMEDIES = (
    Remedy(
        names=("FailedCreate", "ReplicaSetCreateError", "FailedDaemonPod"),
        meaning=_("The controller could not create a pod: the API server refused it."),
        causes=(
            UsualCause(_("A ResourceQuota is used up, or requires requests that the template does not set."), r"quota"),
            UsualCause(_("Pod security or an admission webhook refuses the template."), r"PodSecurity|webhook|violates", step=1),
            UsualCause(
                _("The ServiceAccount or priority class that it names does not exist."), r"serviceaccount|[Pp]riority[Cc]lass", step=1
            ),
            UsualCause(_("The namespace is being deleted."), r"being terminated", step=1),
        ),
        look=(
            LookAt(_("Events of the controller."), "kubectl describe replicaset <replicaset>"),
            LookAt(_("What of the quota is used."), "kubectl describe quota"),
        ),
        steps=(
            NextStep(_("Raise the quota, or request less."), "kubectl edit resourcequota <quota>", act="patch"),
            CORRECT_TEMPLATE,
        ),
        doc="concepts/workloads/controllers/deployment/#failed-deployment",
    ),
    Remedy(
        names=("FailedDelete",),
        causes=(UsualCause(_("The API server refused to delete a pod: permissions or an admission webhook.")),),
        look=(LookAt(_("Events of the controller."), "kubectl describe replicaset <replicaset>"),),
        steps=(DELETE_POD,),
        doc="concepts/workloads/controllers/replicaset/",
    ),
    Remedy(
        names=("ProgressDeadlineExceeded", "MinimumReplicasUnavailable"),
        meaning=_("The new pods of the Deployment do not become available."),
        causes=(
            UsualCause(_("The new pods cannot start: image, configuration, or no node. The state of one of them says which.")),
            UsualCause(_("Their readiness probe fails."), r"[Rr]eadiness"),
            UsualCause(_("A quota keeps the controller from creating them."), r"quota"),
        ),
        look=(
            LookAt(_("How far the rollout is."), "kubectl rollout status deployment/<deployment>"),
            LookAt(_("State of the new pods."), "kubectl get pods -l <key>=<value>"),
        ),
        steps=(
            UNDO_ROLLOUT,
            CORRECT_TEMPLATE,
        ),
        doc="concepts/workloads/controllers/deployment/#failed-deployment",
    ),
    Remedy(
        names=("SelectingAll",),
        causes=(UsualCause(_("The selector is empty, so the controller does nothing.")),),
        look=(LookAt(_("The selector."), "kubectl get deployment <deployment> -o yaml"),),
        steps=(NextStep(_("Create it again with a selector: it cannot be changed."), "kubectl apply -f <file>", act="apply"),),
        doc="concepts/workloads/controllers/deployment/#selector",
    ),
    Remedy(
        names=("BackoffLimitExceeded", "PodFailurePolicy", "FailedIndexes", "MaxFailedIndexesExceeded"),
        meaning=_("The Job has failed: its pods failed more often than allowed, or one in a way that its policy does not retry."),
        causes=(
            UsualCause(_("The program fails the same way each time: look at the log of a failed pod.")),
            UsualCause(
                _("Pods were evicted or preempted, which counts as failures unless podFailurePolicy ignores them."),
                r"DisruptionTarget|Evicted|Preempt",
            ),
            UsualCause(_("backoffLimit is smaller than it takes (6 if not set).")),
        ),
        look=(
            LookAt(_("Which pods failed."), "kubectl get pods -l job-name=<job>"),
            LookAt(_("What a failed pod wrote."), "kubectl logs job/<job>"),
        ),
        steps=(
            NextStep(
                _("Fix the program, and create the Job again: a failed one is not restarted."),
                "kubectl replace --force -f <file>",
                act="apply",
            ),
        ),
        doc="concepts/workloads/controllers/job/#pod-backoff-failure-policy",
    ),
    Remedy(
        names=("TooManyActivePods", "TooManySucceededPods"),
        causes=(UsualCause(_("parallelism or completions were reduced, or other pods carry the Job’s labels.")),),
        look=(LookAt(_("Pods of the Job."), "kubectl get pods -l job-name=<job>"),),
        steps=(NextStep(_("Nothing: the controller removes the surplus."), "kubectl describe job <job>"),),
        doc="concepts/workloads/controllers/job/",
    ),
    Remedy(
        names=("FailedNeedsStart", "TooManyMissedTimes", "MissingJob", "UnexpectedJob", "JobAlreadyActive"),
        meaning=_("A CronJob did not start a Job as its schedule says, or lost track of one."),
        causes=(
            UsualCause(_("The previous Job still runs, and concurrencyPolicy is Forbid."), r"Forbid|AlreadyActive|concurrency"),
            UsualCause(_("More than 100 starts were missed, or startingDeadlineSeconds is too short."), r"missed"),
            UsualCause(
                _("A Job was deleted by hand, or has an owner reference that the CronJob does not recognise."), r"MissingJob|UnexpectedJob"
            ),
        ),
        look=(LookAt(_("Last schedule and active Jobs."), "kubectl describe cronjob <cronjob>"),),
        steps=(
            NextStep(
                _("Set startingDeadlineSeconds, choose a concurrencyPolicy, and make sure Jobs end in time."),
                "kubectl edit cronjob <cronjob>",
                act="patch",
            ),
        ),
        doc="concepts/workloads/controllers/cron-jobs/",
    ),
    Remedy(
        names=("InvalidSchedule", "UnparseableSchedule", "UnsupportedSchedule"),
        meaning=_("The schedule of a CronJob cannot be used."),
        causes=(UsualCause(_("The five fields are not valid, or the time zone is inside the schedule instead of in timeZone.")),),
        look=(LookAt(_("The schedule."), "kubectl get cronjob <cronjob> -o jsonpath='{.spec.schedule} {.spec.timeZone}'"),),
        steps=(NextStep(_("Correct the schedule."), "kubectl edit cronjob <cronjob>", act="patch"),),
        doc="concepts/workloads/controllers/cron-jobs/#schedule-syntax",
    ),
    Remedy(
        names=("RecreatingFailedPod", "RecreatingTerminatedPod"),
        meaning=_("The StatefulSet replaces a pod that has ended under the same name."),
        causes=(UsualCause(_("The pod was evicted, or its node was shut down.")),),
        look=(LookAt(_("Events of the StatefulSet."), "kubectl describe statefulset <statefulset>"),),
        steps=(NextStep(_("Find out why the previous pod ended."), "kubectl get events --field-selector involvedObject.name=<pod>"),),
        doc="concepts/workloads/controllers/statefulset/",
    ),
    Remedy(
        names=(
            "FailedGetResourceMetric",
            "FailedGetContainerResourceMetric",
            "FailedComputeMetricsReplicas",
            "FailedGetScale",
            "ScalingDisabled",
            "FailedRescale",
        ),
        meaning=_("The HorizontalPodAutoscaler does not scale: it has no numbers to go by, no target, or is off."),
        causes=(
            UsualCause(
                _("metrics-server is not running, or the pods are too young to have metrics."),
                r"no metrics|unable to get metrics|unable to fetch",
            ),
            UsualCause(_("A container has no request for the resource, so there is nothing to take a percentage of."), r"missing request"),
            UsualCause(
                _("scaleTargetRef names something that does not exist, or that has 0 replicas (then scaling is off)."),
                r"FailedGetScale|ScalingDisabled|zero|not found",
            ),
        ),
        look=(
            LookAt(_("Conditions and Events of the autoscaler."), "kubectl describe hpa <hpa>"),
            LookAt(_("Whether there are metrics at all."), "kubectl top pods"),
        ),
        steps=(
            NextStep(
                _("Give every container of the target requests."),
                "kubectl set resources deployment/<deployment> --requests=cpu=<amount>",
                act="patch",
            ),
            NextStep(_("Install metrics-server, or look at its log."), "kubectl logs -n kube-system deployment/metrics-server"),
        ),
        doc="tasks/run-application/horizontal-pod-autoscale/#support-for-resource-metrics",
    ),
    Remedy(
        names=("TooFewReplicas", "TooManyReplicas", "ScaleUpLimit", "ScaleDownLimit"),
        meaning=_("The autoscaler would go further, but its bounds or its policy hold it."),
        causes=(
            UsualCause(_("maxReplicas or minReplicas is reached.")),
            UsualCause(_("A policy in behavior allows only so many steps at a time."), r"Limit"),
        ),
        look=(LookAt(_("Conditions and Events of the autoscaler."), "kubectl describe hpa <hpa>"),),
        steps=(
            NextStep(
                _("Change the bounds, if the load is real."),
                'kubectl patch hpa <hpa> -p \'{"spec":{"maxReplicas":<number>}}\'',
                act="autoscale",
            ),
        ),
        doc="tasks/run-application/horizontal-pod-autoscale/",
    ),
    Remedy(
        names=(
            "InsufficientPods",
            "NoPods",
            "UnmanagedPods",
            "MultiplePodDisruptionBudgets",
            "CalculateExpectedPodCountFailed",
            "NoControllers",
            "NoControllerRef",
            "SyncFailed",
            "NotDeleted",
        ),
        meaning=_("A PodDisruptionBudget allows no eviction, or does not do what was intended."),
        causes=(
            UsualCause(_("Too few pods are Ready for the budget, so drains wait."), r"Insufficient"),
            UsualCause(_("Its selector matches no pod, or two budgets match the same pod."), r"NoPods|No matching|Multiple"),
            UsualCause(
                _("A percentage or maxUnavailable needs a controller that says how many pods there should be."),
                r"Unmanaged|NoController|CalculateExpected|scale",
            ),
        ),
        look=(
            LookAt(_("How many may go now."), "kubectl get pdb"),
            LookAt(_("Conditions and Events of the budget."), "kubectl describe pdb <pdb>"),
        ),
        steps=(
            NextStep(
                _("Bring pods to Ready or run more replicas; correct the selector."),
                "kubectl scale deployment/<deployment> --replicas=<number>",
                act="scale",
            ),
        ),
        doc="tasks/run-application/configure-pdb/",
    ),
    Remedy(
        names=("SomeResourcesRemain", "SomeFinalizersRemain", "ContentDeletionFailed", "DiscoveryFailed", "GroupVersionParsingFailed"),
        meaning=_("A namespace is being deleted and still holds something."),
        causes=(
            UsualCause(_("An object in it has a finalizer whose controller is gone."), r"[Ff]inalizer"),
            UsualCause(_("Pods in it are still ending."), r"pods"),
            UsualCause(_("An aggregated API does not answer, so its objects cannot be listed."), r"[Dd]iscovery"),
        ),
        look=(
            LookAt(_("The conditions say what is left."), "kubectl get namespace <namespace> -o yaml"),
            LookAt(_("APIs that do not answer."), "kubectl get apiservices"),
        ),
        steps=(
            NextStep(
                _("Remove the finalizer of what is left, if its controller is gone for good."),
                'kubectl patch <kind> <name> --type=merge -p \'{"metadata":{"finalizers":null}}\'',
                act="patch",
            ),
        ),
        doc="tasks/administer-cluster/namespaces/",
    ),
)
