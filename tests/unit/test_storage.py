"""The two documents' JSON forms, and when they are written: in memory, on a worker that runs when told."""

import json
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.settings import Settings, Theme, TrayInk
from orbtile.host.views import Notice, NoticeKind
from orbtile.protocol.png import encode_png
from orbtile.protocol.registration import Palette, Registration, encode_registration
from orbtile.storage import Document, JsonStore
from tests.fakes.hostile_png import PLAIN

P = ParamSpec("P")
T = TypeVar("T")
Expect = Callable[[str], None]

SETTINGS = Path("/data/settings.json")
CONSENTS = Path("/data/consents.json")
FULL = OSError(28, "No space left on device")


class MemoryFiles:
    """A folder as a dictionary; ``refusal`` is what every change fails with."""

    def __init__(self) -> None:
        self.contents: dict[Path, bytes] = {}
        self.refusal: OSError | None = None
        self.read_refusal: OSError | None = None
        self.writes = 0

    def read(self, path: Path, limit_bytes: int) -> bytes | None:
        if self.read_refusal is not None:
            raise self.read_refusal
        return self.contents.get(path)

    def write(self, path: Path, data: bytes) -> None:
        self._check()
        self.writes += 1
        self.contents[path] = data

    def set_aside(self, path: Path, label: str) -> Path:
        self._check()
        if path not in self.contents:
            raise FileNotFoundError(2, "No such file")
        aside = path.with_name(f"{path.name}.{label}-1")
        self.contents[aside] = self.contents.pop(path)
        return aside

    def keep_copy(self, path: Path, label: str, data: bytes) -> Path:
        self._check()
        aside = path.with_name(f"{path.name}.{label}-1")
        self.contents[aside] = data
        return aside

    def clear_leftovers(self, path: Path) -> None:
        pass

    def _check(self) -> None:
        if self.refusal is not None:
            raise self.refusal


class ManualExecutor(Executor):
    """Runs its jobs when told."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def job() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)
                raise

        self.jobs.append(job)
        return future

    def run(self) -> None:
        while self.jobs:
            self.jobs.pop(0)()


class Bench:
    def __init__(self) -> None:
        self.files = MemoryFiles()
        self.executor = ManualExecutor()
        self.results: list[tuple[Document, OSError | None]] = []
        self.store = self.new_store()

    def new_store(self) -> JsonStore:
        return JsonStore(
            SETTINGS,
            CONSENTS,
            files=self.files,
            executor=self.executor,
            call_soon=lambda callback: callback(),
            on_result=lambda document, failure: self.results.append((document, failure)),
        )

    def put(self, path: Path, value: object) -> None:
        self.files.contents[path] = json.dumps(value).encode()

    def get(self, path: Path) -> object:
        value: object = json.loads(self.files.contents[path])
        return value


@pytest.fixture
def bench() -> Bench:
    return Bench()


REGISTRATION = Registration(name="Example", palette=Palette(base_hue=270.0))


def record(
    adapter_id: str = "com.example.agent",
    *,
    decision: Decision = Decision.ALLOWED,
    seen: Registration = REGISTRATION,
    allowed: Registration | None = REGISTRATION,
    last_seen_epoch_s: float = 1_700_000_000.0,
    user_hue_deg: float | None = None,
) -> ConsentRecord:
    return ConsentRecord(
        adapter_id=adapter_id,
        decision=decision,
        seen=seen,
        allowed=allowed,
        last_seen_epoch_s=last_seen_epoch_s,
        user_hue_deg=user_hue_deg,
    )


def record_json(**changes: object) -> dict[str, object]:
    registration = encode_registration(record().seen)
    return {
        "decision": "allowed",
        "seen": registration,
        "allowed": registration,
        "lastSeen": 1_700_000_000.0,
        **changes,
    }


# --- settings -----------------------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold(bench: Bench) -> None:
    assert bench.store.load_settings() == (Settings(), None)
    assert bench.files.contents == {}


def test_the_documented_switch_alone_is_a_settings_file(bench: Bench) -> None:
    bench.put(SETTINGS, {"adapterApi": {"enabled": True}})
    assert bench.store.load_settings() == (Settings(api_enabled=True), None)


def test_settings_come_back_as_they_were_saved(bench: Bench) -> None:
    settings = Settings(
        api_enabled=True,
        theme=Theme.DARK,
        reduce_motion=True,
        tray_panel=TrayInk.LIGHT,
        anchor_attention=True,
        key_glyph=False,
        provider_app_icon=False,
    )
    bench.store.load_settings()
    bench.store.save_settings(settings)
    bench.executor.run()
    assert bench.new_store().load_settings() == (settings, None)
    assert bench.get(SETTINGS) == {
        "version": 1,
        "adapterApi": {"enabled": True},
        "theme": "dark",
        "reduceMotion": True,
        "trayPanel": "light",
        "oneAlarmColour": True,
        "keyGlyph": False,
        "providerAppIcon": False,
    }


def test_a_file_of_before_there_were_colours_and_icons_holds_as_it_is(bench: Bench) -> None:
    older = {"version": 1, "adapterApi": {"enabled": True}, "theme": "dark", "reduceMotion": False}
    bench.put(SETTINGS, older)
    settings, notice = bench.store.load_settings()
    assert (settings, notice) == (Settings(api_enabled=True, theme=Theme.DARK), None)
    assert (settings.anchor_attention, settings.key_glyph, settings.provider_app_icon) == (False, True, True)
    assert bench.get(SETTINGS) == older


def test_unknown_keys_are_kept_at_every_level(bench: Bench) -> None:
    bench.put(SETTINGS, {"future": [1, {"a": "\ud800"}], "adapterApi": {"enabled": False, "port": 7}})
    bench.store.load_settings()
    bench.store.save_settings(Settings(api_enabled=True))
    bench.executor.run()
    saved = bench.get(SETTINGS)
    assert isinstance(saved, dict)
    assert saved["future"] == [1, {"a": "\ud800"}]
    assert saved["adapterApi"] == {"enabled": True, "port": 7}


def test_a_byte_order_mark_is_no_reason_to_refuse_a_file(bench: Bench) -> None:
    bench.files.contents[SETTINGS] = b'\xef\xbb\xbf{"reduceMotion": true}'
    assert bench.store.load_settings() == (Settings(reduce_motion=True), None)


@pytest.mark.parametrize(
    "raw",
    [
        {"theme": "sepia"},
        {"theme": 3, "reduceMotion": "yes", "trayPanel": None},
        {"adapterApi": {"enabled": 1}},
        {"adapterApi": {"enabled": "true"}},
        {"adapterApi": True},
        {"oneAlarmColour": 1, "keyGlyph": 0, "providerAppIcon": "false"},
        {"oneAlarmColour": None, "keyGlyph": None, "providerAppIcon": []},
    ],
)
def test_a_value_that_is_not_known_is_the_default(bench: Bench, raw: dict[str, object]) -> None:
    bench.put(SETTINGS, raw)
    assert bench.store.load_settings() == (Settings(), None)


def test_a_value_that_is_not_known_stays_until_the_user_changes_that_setting(bench: Bench) -> None:
    bench.put(SETTINGS, {"theme": "sepia"})
    bench.store.load_settings()
    bench.store.save_settings(Settings(api_enabled=True))
    bench.executor.run()
    first = bench.get(SETTINGS)
    bench.store.save_settings(Settings(api_enabled=True, theme=Theme.DARK))
    bench.executor.run()
    second = bench.get(SETTINGS)
    bench.store.save_settings(Settings(api_enabled=True))
    bench.executor.run()
    third = bench.get(SETTINGS)
    themes = [saved["theme"] for saved in (first, second, third) if isinstance(saved, dict)]
    assert themes == ["sepia", "dark", "system"]


def test_a_switch_that_was_no_object_becomes_one_when_the_user_turns_it(bench: Bench) -> None:
    bench.put(SETTINGS, {"adapterApi": 5})
    bench.store.load_settings()
    bench.store.save_settings(Settings(api_enabled=True))
    bench.executor.run()
    assert bench.new_store().load_settings()[0].api_enabled


# --- files that cannot be used ------------------------------------------------------------------------------


BROKEN = [
    b"",
    b"{",
    b"[]",
    b'"x"',
    b"\xff",
    b'{"version": 0}',
    b'{"version": "1"}',
    b'{"version": true}',
    b'{"version": null}',
    b'{"a": 1, "a": 2}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("contents", BROKEN)
def test_a_broken_file_is_set_aside_and_the_user_is_told_where(
    bench: Bench, contents: bytes, expect_log: Expect
) -> None:
    expect_log("unreadable")
    for path in (SETTINGS, CONSENTS):
        bench.files.contents[path] = contents
    assert bench.store.load_settings() == (
        Settings(),
        Notice(kind=NoticeKind.SETTINGS_BROKEN, detail="settings.json.broken-1"),
    )
    records, notice = bench.store.load_consents()
    assert list(records) == []
    assert notice == Notice(kind=NoticeKind.CONSENTS_BROKEN, detail="consents.json.broken-1")
    bench.store.save_settings(Settings())
    bench.store.save_consents([])
    bench.executor.run()
    for path in (SETTINGS, CONSENTS):
        assert bench.files.contents[path.with_name(f"{path.name}.broken-1")] == contents


def test_a_file_that_may_not_be_read_is_set_aside(bench: Bench, expect_log: Expect) -> None:
    expect_log("unreadable")
    bench.put(SETTINGS, {})
    bench.files.read_refusal = PermissionError(13, "Permission denied")
    settings, notice = bench.store.load_settings()
    assert settings == Settings()
    assert notice == Notice(kind=NoticeKind.SETTINGS_BROKEN, detail="settings.json.broken-1")


def test_a_broken_file_on_a_read_only_disk_is_not_overwritten_when_the_disk_becomes_writable(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("unreadable")
    expect_log("not saved")
    bench.files.contents[SETTINGS] = b"{"
    bench.files.refusal = OSError(30, "Read-only file system")
    _, notice = bench.store.load_settings()
    assert notice == Notice(kind=NoticeKind.SETTINGS_BROKEN), "it was not set aside: no other name is told"
    bench.store.save_settings(Settings(reduce_motion=True))
    bench.executor.run()
    assert bench.files.contents == {SETTINGS: b"{"}
    bench.files.refusal = None
    bench.store.save_settings(Settings(reduce_motion=True))
    bench.executor.run()
    assert bench.files.contents[Path("/data/settings.json.broken-1")] == b"{"
    assert bench.new_store().load_settings()[0].reduce_motion


def test_a_broken_file_that_somebody_removed_stands_in_the_way_of_nothing(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("unreadable")
    bench.files.contents[SETTINGS] = b"{"
    bench.files.refusal = OSError(30, "Read-only file system")
    bench.store.load_settings()
    bench.files.refusal = None
    bench.files.contents.clear()
    bench.store.save_settings(Settings())
    bench.executor.run()
    assert bench.results == [(Document.SETTINGS, None)]


def test_a_file_of_a_newer_version_is_used_as_far_as_it_is_understood_and_copied_before_it_changes(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("version-2")
    bench.put(SETTINGS, {"version": 2, "adapterApi": {"enabled": True}, "theme": {"name": "dark"}})
    newer = bench.files.contents[SETTINGS]
    assert bench.store.load_settings() == (Settings(api_enabled=True), None)
    assert bench.files.contents == {SETTINGS: newer}
    for theme in (Theme.LIGHT, Theme.DARK):
        bench.store.save_settings(Settings(theme=theme))
        bench.executor.run()
    assert bench.files.contents[Path("/data/settings.json.version-2-1")] == newer
    assert len(bench.files.contents) == 2
    assert bench.new_store().load_settings() == (Settings(theme=Theme.DARK), None)


def test_a_version_too_long_for_a_files_name_keeps_nothing_from_being_saved(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("version-newer")
    bench.files.contents[SETTINGS] = b'{"version": ' + b"9" * 4300 + b"}"
    assert bench.store.load_settings() == (Settings(), None)
    bench.store.save_settings(Settings(theme=Theme.DARK))
    bench.executor.run()
    assert Path("/data/settings.json.version-newer-1") in bench.files.contents
    assert bench.new_store().load_settings() == (Settings(theme=Theme.DARK), None)


def test_a_file_of_a_newer_version_is_not_changed_while_no_copy_can_be_made(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("version-9")
    expect_log("not saved")
    bench.put(CONSENTS, {"version": 9, "adapters": {}})
    newer = bench.files.contents[CONSENTS]
    bench.store.load_consents()
    bench.files.refusal = FULL
    bench.store.save_consents([record()])
    bench.executor.run()
    assert bench.files.contents == {CONSENTS: newer}


# --- consents -----------------------------------------------------------------------------------------------


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


# --- when it is written -------------------------------------------------------------------------------------


def test_saving_returns_at_once_and_the_worker_writes_the_newest_value_once(bench: Bench) -> None:
    for theme in (Theme.LIGHT, Theme.SYSTEM, Theme.DARK):
        bench.store.save_settings(Settings(theme=theme))
    assert bench.files.writes == 0
    bench.executor.run()
    assert bench.files.writes == 1
    assert bench.new_store().load_settings()[0].theme is Theme.DARK
    assert bench.results == [(Document.SETTINGS, None)]


def test_what_is_saved_during_a_write_is_written_after_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = bench.files.write

    def write(path: Path, data: bytes) -> None:
        original(path, data)
        if bench.files.writes == 1:
            bench.store.save_settings(Settings(theme=Theme.DARK))

    monkeypatch.setattr(bench.files, "write", write)
    bench.store.save_settings(Settings(theme=Theme.LIGHT))
    bench.executor.run()
    assert bench.files.writes == 2
    assert bench.new_store().load_settings()[0].theme is Theme.DARK


def test_a_failure_is_reported_and_tried_again_with_the_next_save_of_either_document(
    bench: Bench, expect_log: Expect
) -> None:
    expect_log("settings.json was not saved")
    bench.files.refusal = FULL
    bench.store.save_settings(Settings(theme=Theme.DARK))
    bench.executor.run()
    bench.files.refusal = None
    bench.store.save_consents([])
    bench.executor.run()
    assert sorted(bench.results[1:]) == [(Document.CONSENTS, None), (Document.SETTINGS, None)]
    assert bench.results[0] == (Document.SETTINGS, FULL)
    assert bench.new_store().load_settings()[0].theme is Theme.DARK


def test_a_failed_value_never_replaces_a_newer_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, expect_log: Expect
) -> None:
    expect_log("not saved")
    original = bench.files.write

    def fail_while_a_newer_value_arrives(path: Path, data: bytes) -> None:
        monkeypatch.setattr(bench.files, "write", original)
        bench.store.save_settings(Settings(theme=Theme.DARK))
        raise FULL

    monkeypatch.setattr(bench.files, "write", fail_while_a_newer_value_arrives)
    bench.store.save_settings(Settings(theme=Theme.LIGHT))
    bench.executor.run()
    bench.store.save_consents([])
    bench.executor.run()
    assert bench.new_store().load_settings()[0].theme is Theme.DARK
    assert [document for document, failure in bench.results if failure is None] == ["settings", "consents"]


def test_closing_tries_once_more_waits_and_says_that_all_is_saved(bench: Bench, expect_log: Expect) -> None:
    expect_log("not saved")
    bench.files.refusal = FULL
    bench.store.save_settings(Settings(theme=Theme.DARK))
    bench.executor.run()
    bench.files.refusal = None
    assert not bench.store.close(timeout_s=0)  # the worker has not come to it
    bench.executor.run()
    assert bench.store.close(timeout_s=0)
    assert bench.results == [(Document.SETTINGS, FULL)]  # nobody is told after the first close
    assert bench.new_store().load_settings()[0].theme is Theme.DARK


def test_closing_says_when_something_could_not_be_saved(bench: Bench, expect_log: Expect) -> None:
    expect_log("not saved")
    bench.files.refusal = FULL
    bench.store.save_settings(Settings())
    bench.executor.run()
    bench.store.close(timeout_s=0)
    bench.executor.run()
    assert not bench.store.close(timeout_s=0)


def test_closing_a_store_that_saved_nothing_is_quiet(bench: Bench) -> None:
    assert bench.store.close(timeout_s=0)
    assert bench.files.contents == {}


def test_a_fault_of_ours_in_one_write_does_not_end_the_next_ones(bench: Bench, expect_log: Expect) -> None:
    expect_log("could not be written")
    bench.store.save_consents([record(last_seen_epoch_s=float("nan"))])
    with pytest.raises(ValueError, match="Out of range"):
        bench.executor.run()
    bench.store.save_settings(Settings(theme=Theme.DARK))
    bench.executor.run()
    assert bench.new_store().load_settings()[0].theme is Theme.DARK
