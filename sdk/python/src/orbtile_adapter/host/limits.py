"""The protocol's numbers, with the section of the specification they come from.

Owns numbers only. Sizes are bytes, lengths are Unicode scalars after cleaning, times are seconds.
"""

from __future__ import annotations

from typing import Final

# Section 1
BODY_BYTES: Final = 65_536
CONNECTIONS: Final = 8
HEAD_BYTES: Final = 16_384
HEAD_S: Final = 5.0
BODY_S: Final = 10.0
WRITE_S: Final = 3.0

# JSON beyond RFC 8259: what any parser may refuse
JSON_DEPTH: Final = 32
JSON_DIGITS: Final = 4_300

# Section 3, staying in touch
SILENT_S: Final = 15.0
LEASE_S: Final = 60.0
DEFAULT_TTL_S: Final = 120
REMOVED_AFTER_S: Final = 600.0

# Section 4
ADAPTERS: Final = 8
REMEMBERED: Final = 32
SESSIONS: Final = 32
ADAPTER_RATE: Final = 20
ADAPTER_BURST: Final = 60
GLOBAL_RATE: Final = 100
GLOBAL_BURST: Final = 100

# Section 6
POLL_WAIT_S: Final = 2
LONG_POLLS: Final = 4
CURSOR: Final = 2**53 - 1
REQUEST_IDS: Final = 4_096
EVENTS: Final = 128
APPROVAL_S: Final = 120.0
QUESTION_S: Final = 600.0

# Section 3, the icon
ICON_BASE64: Final = 43_696
ICON_BYTES: Final = 32_768
ICON_SIDE: Final = (16, 256)
ICON_CHUNKS: Final = 1_024
ICON_PROFILE_BYTES: Final = 65_536
