import pytest

from tests.conftest import UNUSED


def test_tests_of_a_module_are_told_as_one_group(request):
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only with --dist loadgroup")
    assert request.node.nodeid.endswith(f"@{request.path}")


def test_no_test_sets_up_what_none_uses(request):
    assert UNUSED.isdisjoint(request.fixturenames)
