"""The consents' JSON form: what a record holds, and what damage costs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from orbtile.host.records import Decision
from orbtile.host.views import NoticeKind
from orbtile.protocol.png import encode_png
from orbtile.protocol.registration import Palette, Registration, encode_registration
from tests.fakes.hostile_png import PLAIN
from tests.fakes.storage import CONSENTS, REGISTRATION, Bench, record, record_json

Expect = Callable[[str], None]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_consents_come_back_as_they_were_saved(bench: Bench) -> None:
    changed = Registration(name="Example", palette=Palette(base_hue=90.5), version="2")
    records = [
        record(),
        record("com.example.changed", seen=changed),
        record("com.example.denied", decision=Decision.DENIED),
        record("com.example.new", decision=Decision.UNDECIDED, allowed=None),
        record("com.example.red", user_hue_deg=0.0),
        record("com.example.blue", user_hue_deg=256.25),
    ]
    bench.store.load_consents()
    bench.store.save_consents(records)
    bench.executor.run()
    loaded, notice = bench.new_store().load_consents()
    assert (list(loaded), notice) == (records, None)


def test_a_record_holds_the_decision_both_registrations_and_when_it_was_seen(bench: Bench) -> None:
    bench.store.save_consents([record(allowed=None, decision=Decision.DENIED, last_seen_epoch_s=1.23456)])
    bench.executor.run()
    assert bench.get(CONSENTS) == {
        "version": 1,
        "adapters": {
            "com.example.agent": {
                "decision": "denied",
                "seen": encode_registration(record().seen),
                "allowed": None,
                "lastSeen": 1.235,
            }
        },
    }


BAD_RECORDS: list[object] = [
    None,
    [],
    {},
    record_json(decision="maybe"),
    record_json(decision=1),
    record_json(seen=None),
    record_json(seen={"name": "x"}),
    record_json(allowed={"name": "x"}),
    record_json(allowed=None),
    record_json(lastSeen="now"),
    record_json(lastSeen=-1),
    record_json(lastSeen=True),
    record_json(lastSeen=10**30),
]


@pytest.mark.parametrize("bad", BAD_RECORDS)
def test_a_record_that_makes_no_sense_costs_none_of_the_others_and_stays_as_it_is(
    bench: Bench, bad: object, expect_log: Expect
) -> None:
    expect_log("com.example.bad does not make sense")
    bench.put(CONSENTS, {"adapters": {"com.example.bad": bad, "com.example.agent": record_json()}})
    records, notice = bench.store.load_consents()
    assert (list(records), notice) == ([record()], None)
    bench.store.save_consents([record(decision=Decision.DENIED)])
    bench.executor.run()
    saved = bench.get(CONSENTS)
    assert isinstance(saved, dict)
    assert saved["adapters"]["com.example.bad"] == bad
    assert saved["adapters"]["com.example.agent"]["decision"] == "denied"


WITH_OLD_ICON: dict[str, object] = {
    **encode_registration(REGISTRATION),
    "icon": {"png": encode_png(PLAIN.file() + b"behind the end"), "appBundleId": "com.example.Agent"},
}
"""As a version wrote it that looked at no chunk behind the header."""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (record_json(decision="denied", seen=WITH_OLD_ICON, allowed=None), Decision.DENIED),
        (record_json(decision="denied", seen=WITH_OLD_ICON, allowed=WITH_OLD_ICON), Decision.DENIED),
        (record_json(decision="undecided", seen=WITH_OLD_ICON, allowed=None), Decision.UNDECIDED),
        (record_json(seen=WITH_OLD_ICON), Decision.ALLOWED),
        (record_json(seen=WITH_OLD_ICON, allowed=WITH_OLD_ICON), Decision.UNDECIDED),
    ],
)
def test_an_icon_that_is_refused_now_costs_the_icon_and_an_allow_of_it_but_no_deny_and_no_hue(
    bench: Bench, before: dict[str, object], after: Decision, expect_log: Expect
) -> None:
    expect_log("a remembered icon is not one any more and is left out")
    bench.put(CONSENTS, {"adapters": {"com.example.agent": {**before, "hue": 120.0}}})
    allowed = None if before["allowed"] is None else REGISTRATION
    records = bench.store.load_consents()[0]
    assert list(records) == [record(decision=after, allowed=allowed, user_hue_deg=120.0)]
    bench.store.save_consents(records)
    bench.executor.run()
    saved = bench.get(CONSENTS)
    assert isinstance(saved, dict)
    kept = {**before, "hue": 120.0, "decision": after.value}
    assert saved["adapters"]["com.example.agent"] == kept, "what somebody else may still read stays"


def test_a_registration_with_more_wrong_than_its_icon_makes_no_sense(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("a remembered icon")
    expect_log("does not make sense")
    bench.put(CONSENTS, {"adapters": {"com.example.bad": record_json(seen={**WITH_OLD_ICON, "version": 1})}})
    assert list(bench.store.load_consents()[0]) == []


@pytest.mark.parametrize(
    "adapter_id", ["", "claude-code", "com.orbtile.fake", "Com.Example", "a secret text"]
)
def test_a_record_of_an_id_that_no_adapter_can_have_is_not_used(
    bench: Bench, adapter_id: str, expect_log: Expect
) -> None:
    expect_log(r"record of (\(not an adapter id\)|com\.orbtile\.fake) does not make sense")
    bench.put(CONSENTS, {"adapters": {adapter_id: record_json()}})
    assert list(bench.store.load_consents()[0]) == []


def test_a_bad_record_gives_way_when_its_adapter_registers_anew(bench: Bench, expect_log: Expect) -> None:
    expect_log("does not make sense")
    bench.put(CONSENTS, {"adapters": {"com.example.agent": {"decision": "maybe", "note": "kept"}}})
    bench.store.load_consents()
    bench.store.save_consents([record()])
    bench.executor.run()
    assert bench.get(CONSENTS) == {
        "version": 1,
        "adapters": {"com.example.agent": {"note": "kept", **record_json()}},
    }


def test_unknown_keys_of_a_record_and_of_an_unchanged_registration_are_kept(bench: Bench) -> None:
    seen = {**encode_registration(record().seen), "sound": "chime"}
    bench.put(
        CONSENTS,
        {"future": 1, "adapters": {"com.example.agent": record_json(seen=seen, allowed=seen, keys=[3])}},
    )
    bench.store.load_consents()
    renamed = replace(record().seen, name="Renamed")
    bench.store.save_consents([record(seen=renamed)])
    bench.executor.run()
    assert bench.get(CONSENTS) == {
        "version": 1,
        "future": 1,
        "adapters": {
            "com.example.agent": record_json(seen=encode_registration(renamed), allowed=seen, keys=[3])
        },
    }


def test_a_forgotten_adapter_is_gone_from_the_file_with_everything_about_it(bench: Bench) -> None:
    bench.put(CONSENTS, {"adapters": {"com.example.agent": record_json(note="x")}})
    bench.store.load_consents()
    bench.store.save_consents([])
    bench.executor.run()
    assert bench.get(CONSENTS) == {"version": 1, "adapters": {}}
    bench.store.save_consents([record()])
    bench.executor.run()
    assert bench.get(CONSENTS) == {"version": 1, "adapters": {"com.example.agent": record_json()}}


HUES: list[tuple[object, float | None]] = [
    (0, 0.0),
    (359.9, 359.9),
    (None, None),
    (360, None),
    (-1, None),
    (1e300, None),
    (True, None),
    ("150", None),
    ([150], None),
]


@pytest.mark.parametrize(("written", "understood"), HUES)
def test_what_is_no_hue_costs_the_record_nothing_else(
    bench: Bench, written: object, understood: float | None
) -> None:
    bench.put(CONSENTS, {"adapters": {"com.example.agent": record_json(hue=written)}})
    records, notice = bench.store.load_consents()
    assert (list(records), notice) == ([record(user_hue_deg=understood)], None)


def test_the_hue_is_written_only_where_the_user_chose_one_and_goes_with_the_choice(bench: Bench) -> None:
    written: list[object] = []
    for hue_deg in (None, 150.0, 150.0, 20.5, None):
        bench.store.save_consents([record(user_hue_deg=hue_deg)])
        bench.executor.run()
        written.append(bench.get(CONSENTS))
    plain, chosen, again, other, reset = written
    assert plain == reset == {"version": 1, "adapters": {"com.example.agent": record_json()}}
    assert chosen == again == {"version": 1, "adapters": {"com.example.agent": record_json(hue=150.0)}}
    assert other == {"version": 1, "adapters": {"com.example.agent": record_json(hue=20.5)}}


def test_a_hue_that_a_later_version_wrote_stays_until_the_user_chooses_one(bench: Bench) -> None:
    later = {"light": 20, "dark": 30}
    bench.put(CONSENTS, {"adapters": {"com.example.agent": record_json(hue=later)}})
    bench.store.load_consents()
    bench.store.save_consents([record(decision=Decision.DENIED)])
    bench.executor.run()
    assert bench.get(CONSENTS) == {
        "version": 1,
        "adapters": {"com.example.agent": record_json(decision="denied", hue=later)},
    }
    bench.store.save_consents([record(user_hue_deg=20.0)])
    bench.executor.run()
    assert bench.get(CONSENTS) == {
        "version": 1,
        "adapters": {"com.example.agent": record_json(hue=20.0)},
    }


def test_the_hue_of_a_record_that_gave_way_is_not_the_new_ones(bench: Bench, expect_log: Expect) -> None:
    expect_log("does not make sense")
    bench.put(CONSENTS, {"adapters": {"com.example.agent": {"decision": "maybe", "hue": 150}}})
    bench.store.load_consents()
    bench.store.save_consents([record()])
    bench.executor.run()
    assert list(bench.new_store().load_consents()[0]) == [record()]


def test_adapters_that_are_no_object_make_the_file_broken(bench: Bench, expect_log: Expect) -> None:
    expect_log("unreadable")
    bench.put(CONSENTS, {"adapters": []})
    _, notice = bench.store.load_consents()
    assert notice is not None
    assert notice.kind is NoticeKind.CONSENTS_BROKEN
