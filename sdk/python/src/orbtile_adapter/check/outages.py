"""Scenarios about trouble on the host's side: it restarts, has a new token, is busy, is off, or hears
nothing.

Owns how soon, how gently and with what the adapter comes back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from orbtile_adapter.check.play import UPDATES, Play
from orbtile_adapter.check.verdicts import Broken, FellSilent, NotExercised
from orbtile_adapter.host.gate import Route
from orbtile_adapter.host.stage import Exchange

BACK_S = 20.0
"""How long an adapter may take to come back by itself."""

LASTING = ("title", "cwd", "project", "model", "openURL", "background")
"""What a session keeps while its activity changes."""

MOST_UNAUTHORIZED = 6
"""With one retry each: updates, heartbeats and polls may all be under way when the token changes."""

LONGEST_SILENCE_S = 10.0
TOLERANCE_S = 1.5
OFF_S = 2.0
MOST_REQUESTS_WHILE_OFF = 10
MOST_CPU_WHILE_OFF = 0.3
RETRY_AFTER_S = 2


def relaunch(play: Play) -> str:
    """The host quits and starts anew: it knows no token, no adapter, no session."""
    play.settle()
    play.watch(0.7)
    before = play.sessions()
    play.server.stop()
    play.host.regenerate_token()
    play.watch(0.7)
    mark = play.mark()
    play.server.start()
    play.wait(lambda: _partial(play, mark) or before.keys() <= play.sessions().keys(), BACK_S)
    partial = _partial(play, mark)
    if partial is not None:
        raise Broken(f"an update for a session that the host had lost came without {partial.error['field']}")
    _require_answer(play, mark)
    after = play.sessions()
    missing = [key[2] for key in before if key not in after]
    if missing:
        raise Broken(f"session {missing[0]} was not back after {BACK_S:g} s{play.postscript()}")
    for key, fields in before.items():
        lost = [name for name in LASTING if name in fields and name not in after[key]]
        if lost:
            raise Broken(f"session {key[2]} came back without {', '.join(lost)}")
    return f"{len(before)} whole session{'s' if len(before) > 1 else ''} came back"


def _partial(play: Play, mark: int) -> Exchange | None:
    refused = (one for one in play.seen(*UPDATES, since=mark) if one.status == 422)
    return next((one for one in refused if str(one.error.get("field")).endswith(("title", "activity"))), None)


def _require_answer(play: Play, mark: int) -> None:
    """Who sends nothing, or only repeats an old token, cannot show what else it would do."""
    play.require_alive()
    answered = play.seen(since=mark)
    if not answered:
        raise FellSilent(f"it sent nothing within {BACK_S:g} s after the host was back{play.postscript()}")
    if all(one.status == 401 for one in answered):
        raise NotExercised("it never got past the new token")


def token(play: Play) -> str:
    """The user presses Regenerate Token."""
    play.settle()
    play.watch(0.7)
    mark = play.mark()
    play.server.regenerate_token()
    back = play.first(BACK_S, lambda one: one.route is Route.REGISTER and one.is_ok, mark)
    unauthorized = sum(one.status == 401 for one in play.seen(since=mark))
    if unauthorized > MOST_UNAUTHORIZED:
        raise Broken(f"{unauthorized} requests with the old token, though the file had the new one at once")
    if back is None and not play.seen(since=mark):
        play.require_alive()
        raise FellSilent(f"it sent nothing within {BACK_S:g} s after the token changed{play.postscript()}")
    if back is None:
        raise Broken(f"it did not register with the new token within {BACK_S:g} s{play.postscript()}")
    return f"{unauthorized} requests with the old token, then the new one"


def silence(play: Play) -> str:
    """Nothing happens: the adapter stays in touch all the same."""
    last = play.settle().at
    beats = 0
    mark = play.mark()
    end = time.monotonic() + LONGEST_SILENCE_S + TOLERANCE_S
    while time.monotonic() < end and beats < 2:
        play.watch(0.1)
        for one in play.seen(since=mark):
            mark += 1
            if one.route in {None, Route.INFO} or not one.is_ok:
                continue
            beats += one.route is Route.HEARTBEAT
            last = one.at
        if time.monotonic() - last > LONGEST_SILENCE_S + TOLERANCE_S:
            break
    quiet = time.monotonic() - last
    if quiet > LONGEST_SILENCE_S:
        raise Broken(f"{quiet:.1f} s without a request while it had a session{play.postscript()}")
    if not play.sessions():
        raise NotExercised("it ended its session at once")
    return f"{beats} heartbeats" if beats else "it was never silent for so long"


def overload(play: Play) -> str:
    """The host is busy: first it refuses the registration for a while, then the first update."""
    play.stage.refuse_next(1, 429, "rate_limited", RETRY_AFTER_S, lambda one: one.route is Route.REGISTER)
    play.stage.refuse_next(1, 503, "limit_exceeded", RETRY_AFTER_S, lambda one: one.route in UPDATES)
    play.start()
    _require_wait(play, (Route.REGISTER,), 429)
    _require_wait(play, UPDATES, 503)
    return "it waited as long as it was asked to"


def _require_wait(play: Play, routes: Sequence[Route], status: int) -> None:
    refused = play.first(15.0, lambda one: one.is_fault and one.route in routes)
    if refused is None:
        raise NotExercised(f"it sent nothing that could be refused{play.postscript()}")
    number, done = refused.number, refused.done
    again = play.first(RETRY_AFTER_S + 8.0, lambda one: one.number > number and one.route in routes)
    if again is None:
        raise Broken(f"after a {status} with Retry-After it did not try again{play.postscript()}")
    waited = again.at - done
    if waited < RETRY_AFTER_S - 0.1:
        raise Broken(f"{status} with Retry-After: {RETRY_AFTER_S}, and it tried again after {waited:.1f} s")


def off_and_on(play: Play) -> str:
    """The user switches the API off; then Orbtile quits; then it is back."""
    play.settle()
    play.watch(0.5)
    mark = play.mark()
    cpu, start = play.adapter.cpu_s(), time.monotonic()
    play.server.switch_off()
    play.watch(OFF_S)
    requests = len(play.seen(since=mark))
    play.server.stop()
    play.watch(OFF_S)
    spent = play.adapter.cpu_s()
    if requests > MOST_REQUESTS_WHILE_OFF:
        raise Broken(f"{requests} requests within {OFF_S:g} s while the API was off")
    elapsed = time.monotonic() - start
    if cpu is not None and spent is not None and spent - cpu > MOST_CPU_WHILE_OFF * elapsed:
        raise Broken(f"it used {(spent - cpu) / elapsed:.0%} of a processor while there was no host")
    play.require_alive()
    mark = play.mark()
    play.host.switch_on()
    play.server.start()
    if play.first(BACK_S, lambda one: one.route is Route.REGISTER and one.is_ok, mark) is None:
        _require_answer(play, mark)
        raise Broken(f"it had not registered {BACK_S:g} s after the host was back{play.postscript()}")
    return f"{requests} requests while it was off, then it came back"
