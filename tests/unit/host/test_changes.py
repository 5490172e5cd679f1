from orbtile.host.changes import Changes


def test_records_merge() -> None:
    one = Changes(sessions=frozenset({"a"}), api=True)
    two = Changes(sessions=frozenset({"b"}), adapters=frozenset({"c"}), settings=True, notices=True)
    assert one.merged(two) == Changes(
        sessions=frozenset({"a", "b"}), adapters=frozenset({"c"}), api=True, settings=True, notices=True
    )
    assert not Changes()
    assert two
