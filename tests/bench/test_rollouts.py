from simulator.bench import rollouts


def test_deployment_is_made_and_rolled_over():
    figures = rollouts.rolled_over(4)
    assert (figures.pods, figures.simulated_ms < rollouts.LATEST_MS) == (4, True)
