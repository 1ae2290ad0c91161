from simulator.bench import clusters


def test_deployments_are_made_ready_and_deleted_again() -> None:
    figures = clusters.cluster_of(6, 3, "Deployment")
    assert (figures.pods, figures.ready_ms < clusters.LATEST_MS) == (6, True)


def test_a_daemon_set_counts_one_pod_a_node() -> None:
    assert clusters.cluster_of(3, 3, "DaemonSet").ready_ms < clusters.LATEST_MS


def test_profile_says_which_parts_of_the_engine_took_the_time() -> None:
    spent = clusters.spent_by_part(20, 4)
    assert {"kubelet", "apiserver", "scheduler"} <= set(spent.permille)
    assert 900 < sum(spent.permille.values()) < 1_100  # each is rounded separately
    assert spent.calls_a_pod > spent.records_a_pod > 10
