"""The table of scenarios: what is played, and which rule of the protocol it is about.

Owns the rules' wording, which is our own, and their sections. How each is played is in ``contact``,
``outages`` and ``asking``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from orbtile_adapter.check import asking, contact, outages
from orbtile_adapter.check.play import Options, Play
from orbtile_adapter.check.verdicts import Broken, FellSilent, NotExercised, Row, Verdict


@dataclass(frozen=True)
class Scenario:
    """``act`` plays it and says what it saw; it raises ``Broken`` and ``NotExercised``."""

    key: str
    title: str
    section: str
    rule: str
    act: Callable[[Play], str]
    consent: str = "allow"


SCENARIOS = (
    Scenario(
        "first-contact", "First contact", "1 Transport, 2 Discovery and auth",
        "Read the address and the token from the discovery file. Every request has Host: localhost, "
        "Content-Type: application/json and the bearer token, no Origin, a Content-Length for its body; "
        "register before anything else.",
        contact.first_contact,
    ),
    Scenario(
        "proof", "Proof", "2 Discovery and auth",
        "Only Orbtile knows the token: when /info answers a nonce with a wrong proof, send that listener "
        "nothing.",
        contact.proof,
    ),
    Scenario(
        "relaunch", "Whole session after relaunch", "3 Endpoints",
        "A relaunched Orbtile has no sessions: after registering again, send whole sessions again.",
        outages.relaunch,
    ),
    Scenario(
        "token", "Regenerated token", "2 Discovery and auth",
        "On 401 read the discovery file again once and retry with the token that it has now.",
        outages.token,
    ),
    Scenario(
        "silence", "Silence and heartbeat", "3 Endpoints",
        "Send something at least every 10 s while you have sessions; a heartbeat is the cheapest.",
        outages.silence,
    ),
    Scenario(
        "overload", "429 and 503 with Retry-After", "4 Errors, limits, versions",
        "When a refusal says Retry-After, wait that long, then try again.",
        outages.overload,
    ),
    Scenario(
        "off-and-on", "Host off and on again", "2 Discovery and auth",
        "No file means off or not running: back off, do not spin, and come back when the file does.",
        outages.off_and_on,
    ),
    Scenario(
        "deny", "Deny", "3 Endpoints",
        "A denied adapter gets 200 and visible:false, which is no error: do not register again and again.",
        contact.deny, consent="deny",
    ),
    Scenario(
        "unknown-fields", "Unknown response fields", "4 Errors, limits, versions",
        "Ignore fields of a reply that you do not know: v1 grows by adding them.",
        contact.unknown_fields,
    ),
    Scenario(
        "text", "Huge and awkward text", "3 Endpoints, 4 Errors, limits, versions",
        "A value that does not fit is refused, never cut: keep texts and bodies within the limits.",
        contact.text,
    ),
    Scenario(
        "replay", "Event replay before acknowledge", "6 Two-way events",
        "After a broken connection poll with the cursor of what was applied, so that the rest comes again.",
        asking.replay,
    ),
    Scenario(
        "cursor", "Acknowledge what was applied", "6 Two-way events",
        "lastSequence informs; acknowledge only events that were applied or discarded.",
        asking.blind,
    ),
    Scenario(
        "duplicate", "Duplicate event", "6 Two-way events",
        "Apply an event once: its sequence tells whether it came before.",
        asking.duplicate,
    ),
    Scenario(
        "expired", "Expired approval", "6 Two-way events",
        "Discard an answer whose expiresAt is over; nothing but a live answer means Allow.",
        asking.expired,
    ),
    Scenario(
        "own-answer", "Answer in its own UI at the same moment", "6 Two-way events",
        "An answer in your own UI retires the request's id under the same lock: a later event is discarded.",
        asking.own_answer,
    ),
)  # fmt: skip


def run(scenario: Scenario, options: Options) -> Row:
    """Play one scenario on a host of its own."""
    start = time.monotonic()
    try:
        with Play(options, consent=scenario.consent) as play:
            seen, verdict = scenario.act(play), Verdict.PASSED
    except FellSilent as fault:
        seconds = time.monotonic() - start
        return replace(row(scenario, Verdict.FAILED, str(fault), seconds), fell_silent=True)
    except Broken as fault:
        seen, verdict = str(fault), Verdict.FAILED
    except NotExercised as reason:
        seen, verdict = str(reason), Verdict.NOT_EXERCISED
    return row(scenario, verdict, seen, time.monotonic() - start)


def row(scenario: Scenario, verdict: Verdict, seen: str, seconds: float = 0.0) -> Row:
    """The table's line for a scenario."""
    return Row(
        scenario.key, scenario.title, verdict, scenario.rule, scenario.section, seen, round(seconds, 1)
    )
