"""The settings' JSON form, files that cannot be used, and when either document is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from orbtile.host.settings import Settings, Theme, TrayInk
from orbtile.host.views import Notice, NoticeKind
from orbtile.storage import Document
from tests.fakes.storage import (
    CONSENTS,
    FULL,
    SETTINGS,
    Bench,
    record,
)

Expect = Callable[[str], None]


@pytest.fixture
def bench() -> Bench:
    return Bench()


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
