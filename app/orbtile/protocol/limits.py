"""Every number of the protocol, once, with the section of the specification that sets it.

Owns numbers only. Must not know who applies them. Sizes are bytes, lengths are Unicode scalars after
cleaning, times are seconds; the units are in the names.
"""

from typing import Final

# --- Section 1, Transport -----------------------------------------------------------------------------------

MAX_BODY_BYTES: Final = 65_536
MAX_CONNECTIONS: Final = 8
"""Adapter connections open at once (also section 4)."""

# Not in the specification: what keeps a slow or stalled peer from holding a connection (ARCHITECTURE
# "connection slots").
MAX_HEAD_BYTES: Final = 16_384
HEAD_DEADLINE_S: Final = 5.0
BODY_DEADLINE_S: Final = 10.0
ANSWER_DEADLINE_S: Final = 4.0
"""For an answer that waits for something: twice the longest poll. A client of ours gives up after 5 s, so it
still reads the refusal.
"""
WRITE_DEADLINE_S: Final = 3.0
"""Section 6 "Poll, apply, acknowledge" asks for it on held polls; every reply has it."""

# --- JSON (ARCHITECTURE "JSON"; RFC 8259 section 9 lets a parser set limits) --------------------------------

MAX_JSON_DEPTH: Final = 32
MAX_JSON_INTEGER_DIGITS: Final = 4_300
"""The interpreter's own default; stated here so that an environment variable cannot change the protocol."""

# --- Section 2, Discovery and auth --------------------------------------------------------------------------

MIN_NONCE_DIGITS: Final = 16
MAX_NONCE_DIGITS: Final = 64

# --- Section 3, Endpoints: liveness -------------------------------------------------------------------------

SILENT_AFTER_S: Final = 15.0
"""An adapter silent for longer than this shows its sessions as offline."""

LEASE_S: Final = 60.0
"""An adapter silent for this long loses its registration and its sessions."""

# --- Section 3, Endpoints: ids ------------------------------------------------------------------------------

MIN_ADAPTER_ID_BYTES: Final = 3
MAX_ADAPTER_ID_BYTES: Final = 64
MAX_SESSION_ID_LENGTH: Final = 128
MAX_HOST_LENGTH: Final = 64

# --- Section 3, Registration --------------------------------------------------------------------------------

MAX_NAME_LENGTH: Final = 32
MAX_SHORT_NAME_LENGTH: Final = 12
MAX_VERSION_LENGTH: Final = 32
MAX_HOMEPAGE_LENGTH: Final = 512
MAX_MONOGRAM_LENGTH: Final = 2
MAX_SYMBOL_LENGTH: Final = 64
MAX_URL_SCHEMES: Final = 4
MAX_URL_SCHEME_LENGTH: Final = 32
MAX_CAPABILITIES: Final = 3

HUE_END_DEG: Final = 360
"""Hues are 0 to below this."""
MIN_CHROMA: Final = 0.5
MAX_CHROMA: Final = 1.3
MAX_LIGHTNESS_SHIFT: Final = 0.05
"""To both sides of 0."""

# --- Section 3, Adapter icon and State colours --------------------------------------------------------------

MAX_ICON_BASE64_LENGTH: Final = 43_696
MAX_ICON_BYTES: Final = 32_768
MIN_ICON_SIDE_PX: Final = 16
MAX_ICON_SIDE_PX: Final = 256
MAX_RENDERED_ICON_BYTES: Final = 16_384
"""Of each of the two re-encoded pictures."""

# Not in the specification: what keeps one picture from costing more than another of its size. A PNG of 32 768
# bytes in pieces of 4 096 has about a dozen chunks; the largest profile in common use has 60 960 bytes.
MAX_ICON_CHUNKS: Final = 1_024
MAX_ICON_PROFILE_BYTES: Final = 65_536

MIN_BUNDLE_ID_BYTES: Final = 3
MAX_BUNDLE_ID_BYTES: Final = 128

# --- Section 3, Session update ------------------------------------------------------------------------------

MAX_TITLE_LENGTH: Final = 120
MAX_CWD_LENGTH: Final = 1_024
MAX_PROJECT_LENGTH: Final = 128
MAX_MODEL_LENGTH: Final = 64
MAX_TOOL_LABEL_LENGTH: Final = 80
MAX_TOOL_KIND_LENGTH: Final = 32
MAX_STATUS_DETAIL_LENGTH: Final = 120
MAX_MESSAGE_ID_LENGTH: Final = 128
MAX_MESSAGE_TEXT_LENGTH: Final = 16_384
KEPT_MESSAGE_TEXT_BYTES: Final = 4_096
MAX_SUBAGENTS: Final = 99
MAX_OPEN_URL_LENGTH: Final = 2_048
MIN_TTL_S: Final = 10
MAX_TTL_S: Final = 3_600
DEFAULT_TTL_S: Final = 120
REMOVED_AFTER_OFFLINE_S: Final = 600.0

MAX_PID: Final = 4_294_967_295
"""No system has a larger one, so a larger one is not alive. Not in the specification; keeps 64 bits out of
system calls.
"""

# --- Section 4, Errors, limits, versions --------------------------------------------------------------------

API_MAJOR: Final = 1
API_MINOR: Final = 2
MAX_LIVE_ADAPTERS: Final = 8
MAX_REMEMBERED_ADAPTERS: Final = 32
MAX_SESSIONS_PER_ADAPTER: Final = 32
ADAPTER_REQUESTS_PER_S: Final = 20
ADAPTER_BURST: Final = 60
GLOBAL_REQUESTS_PER_S: Final = 100
GLOBAL_BURST: Final = 100
"""The specification names no burst for all adapters together (ARCHITECTURE "global burst")."""
MAX_WAITING_REQUESTS: Final = 256
"""Out of reach: only the eight requests with a connection slot ever wait, and the host answers at once. The
tests of ``server/table`` hold it to that.
"""

# Not in the specification: a body of unknown fields must not come back as a reply of its own size.
MAX_WARNINGS: Final = 32
MAX_ECHOED_NAME_LENGTH: Final = 64

# --- Section 6, Two-way events ------------------------------------------------------------------------------

MAX_WAIT_S: Final = 2
MAX_LONG_POLLS: Final = 4
MAX_CURSOR: Final = 9_007_199_254_740_991
"""The largest integer that JSON carries safely (schema, ``EventsPoll``)."""
MAX_PENDING_REQUESTS_PER_ADAPTER: Final = 32
MAX_REQUEST_IDS: Final = 4_096
MAX_REQUEST_ID_LENGTH: Final = 128
MAX_QUEUED_EVENTS: Final = 128
APPROVAL_LIFETIME_S: Final = 120
QUESTION_LIFETIME_S: Final = 600
MAX_TOOL_NAME_LENGTH: Final = 80
MAX_COMMAND_SUMMARY_LENGTH: Final = 512
MAX_QUESTIONS: Final = 4
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 4
MAX_QUESTION_TEXT_LENGTH: Final = 1_024
MAX_QUESTION_HEADER_LENGTH: Final = 12
MAX_OPTION_LABEL_LENGTH: Final = 120
MAX_OPTION_DESCRIPTION_LENGTH: Final = 512
