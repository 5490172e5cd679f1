import pytest

from tests.fakes.hosts import Host, make_update


@pytest.mark.parametrize(("host_name", "expected"), [("local", False), ("jobs-vm", True), ("Local", True)])
def test_any_host_but_local_is_remote(host_name: str, expected: bool) -> None:
    adapter = Host().allowed()
    adapter.update(update=make_update(host=host_name))
    assert adapter.session(host=host_name).is_remote is expected


def test_views_that_differ_only_in_when_they_changed_are_equal() -> None:
    host = Host()
    adapter = host.allowed()
    adapter.update()
    before = adapter.session()
    host.advance(1.0)
    adapter.update(update=make_update(title="other"))
    adapter.update(update=make_update(title=before.title))
    assert adapter.session() == before
    assert adapter.session().changed_monotonic_s == before.changed_monotonic_s + 1.0
