"""Scenarios about finding the host and speaking to it properly.

Owns first contact, the proof, unknown fields, text of any size, and the user's no.
"""

from __future__ import annotations

from orbtile_adapter.check.play import UPDATES, Play
from orbtile_adapter.check.verdicts import Broken, FellSilent, NotExercised
from orbtile_adapter.host.gate import Route
from orbtile_adapter.host.stage import Exchange

_OFF_THE_WIRE = {400, 403, 405, 411, 415}
"""What no request of a proper client gets; 413 is a matter of text, which has a scenario of its own."""

AWKWARD = (
    "plain text",
    "emoji \N{GRINNING FACE}\N{ZERO WIDTH JOINER}\N{ROCKET} and a flag \U0001f1f3\U0001f1f1",
    "right to left \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\u202eoverride\u202c \u2066isolate\u2069 \u200fmark",
    "controls \x01\x02\x07\x1b[31mred\x1b[0m \x7f \x85 \u2028 tab\there",
    "quotes \"double\" 'single' \\backslash\\ $(dollar) `tick` %s %n",
    "e" * 4_096,
    "\N{GRINNING FACE}" * 1_024,
    "\u05e9" * 2_048,
    "long " * 14_000,
)
"""Lines that output of real tools has, and then some."""

NOT_UTF8 = b"half a character \xf0\x9f\x98 and a stray \xff byte\n"


def describe(one: Exchange) -> str:
    """A request and its answer, for a report."""
    code = one.error.get("code", "")
    field = one.error.get("field")
    return f"{one.method} {one.target[:80]} got {one.status} {code}".rstrip() + (
        f" on {field}" if field else ""
    )


def first_contact(play: Play) -> str:
    """It finds the host, and every request is one that the host takes."""
    play.start()
    play.first(15.0, lambda one: one.route in UPDATES and one.is_ok)
    play.watch(0.5)
    requests = play.seen()
    if not requests:
        raise Broken(f"no request came within 15 s{play.postscript()}")
    for one in requests:
        if one.has_token_in_target:
            raise Broken(f"the token stands in a request's address: {one.method}")
        if one.status in _OFF_THE_WIRE:
            raise Broken(f"{describe(one)}: {one.error.get('message')}")
        if one.status == 401:
            raise Broken(f"{describe(one)}: the token was in the discovery file")
    if not any(one.route is Route.REGISTER and one.is_ok for one in requests):
        raise Broken(f"it did not register; {describe(requests[-1])}{play.postscript()}")
    return f"{len(requests)} requests"


def proof(play: Play) -> str:
    """An impostor listens: who asked for a proof and got a wrong one must not go on."""
    play.stage.has_false_proof = True
    play.start()
    first = play.first(15.0, lambda _one: True)
    if first is None:
        raise NotExercised("no request came")
    if first.route is not Route.INFO or "x-orbtile-nonce" not in first.header_names:
        raise NotExercised("it does not ask for a proof before its first request")
    told = play.first(3.0, lambda one: one.route not in {Route.INFO, None})
    if told is not None:
        raise Broken(f"{told.method} {told.target[:80]} followed a wrong proof")
    return "nothing followed the wrong proof"


def unknown_fields(play: Play) -> str:
    """Every object of every reply has fields of a later version."""
    play.stage.has_unknown_fields = True
    try:
        play.settle()
    except NotExercised as trouble:
        raise Broken(str(trouble)) from None
    mark = play.mark()
    again = play.first(9.0, lambda one: one.is_ok and one.route not in {Route.INFO, None}, mark)
    play.require_alive()
    if again is None:
        raise FellSilent("it fell silent after the first replies")
    refused = [one for one in play.seen() if one.status == 401]
    if refused:
        raise Broken(describe(refused[0]))
    return "it went on"


def text(play: Play) -> str:
    """Whatever it shows, it sends values that fit; and long replies do not upset it."""
    play.stage.warnings = [f"warning {number}: " + "w" * 1_500 for number in range(32)]
    play.start()
    shown = play.first(15.0, lambda one: one.route in UPDATES)
    _refuse_misfits(play)
    if shown is None:
        raise NotExercised(f"it sent no session{play.postscript()}")
    if play.options.feed:
        _feed(play)
    else:
        play.watch(2.0)
    _refuse_misfits(play)
    play.require_alive()
    if not play.options.feed:
        raise NotExercised("it was given no text: use --feed for an adapter that shows its standard input")
    return "awkward lines were shown, every value fitted"


def _feed(play: Play) -> None:
    mark = play.mark()
    for line in AWKWARD:
        play.adapter.write(line.encode() + b"\n")
        play.watch(0.25)
    play.adapter.write(NOT_UTF8)
    if play.first(6.0, lambda one: one.route in UPDATES, mark) is None:
        raise Broken(f"lines on its standard input led to no update{play.postscript()}")
    play.watch(1.5)


def _refuse_misfits(play: Play) -> None:
    for one in play.seen():
        if one.status in {413, 422} or (one.status == 400 and one.route is not None):
            raise Broken(f"{describe(one)}: {one.error.get('message')}")


def deny(play: Play) -> str:
    """The user said no, and nothing is an error: there is nothing to repeat."""
    play.start()
    if play.first(15.0, lambda one: one.route is Route.REGISTER and one.is_ok) is None:
        raise NotExercised("it did not register")
    play.watch(4.0)
    registrations = play.seen(Route.REGISTER)
    if len(registrations) > 2:
        raise Broken(f"it registered {len(registrations)} times in 4 s after a Deny")
    if play.adapter.exit_status not in {None, 0}:
        play.require_alive()
    if any(one.status == 429 for one in play.seen()):
        raise Broken("it sent so many requests after a Deny that the host had to slow it down")
    return "it took the Deny"
