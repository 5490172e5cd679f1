"""Valid bodies with every field in use, and how to change one in one place. Nothing here is malformed."""

import base64
import copy
import json
import re
import struct
import zlib
from typing import Final

from orbtile.protocol.fields import JsonObject, JsonValue


def encode(value: JsonValue) -> bytes:
    """A body as bytes; ASCII, so that a lone surrogate travels as an escape."""
    return json.dumps(value, allow_nan=False).encode("ascii")


def png(width: int = 16, height: int = 16, *, depth: int = 8, colour: int = 6) -> bytes:
    """A whole PNG, all zeros: transparent where there is alpha, else black."""
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    row = bytes(1 + (width * depth * samples + 7) // 8)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
        + (chunk(b"PLTE", bytes(3)) if colour == 3 else b"")
        + chunk(b"IDAT", zlib.compress(row * height))
        + chunk(b"IEND", b"")
    )


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


REGISTRATION: Final[JsonObject] = {
    "name": "Example Agent",
    "shortName": "Example",
    "palette": {
        "baseHue": 270,
        "chroma": 1.1,
        "lightness": 0.01,
        "attentionHue": 330,
        "states": {"thinking": "#eab308", "waitingPermission": "#ef4444"},
    },
    "glyph": {"symbol": "hammer.fill", "monogram": "EA"},
    "icon": {"png": base64_of(png()), "appBundleId": "com.example.agent"},
    "version": "1.0.0",
    "homepage": "https://example.com/agent",
    "urlSchemes": ["https", "myagent"],
    "capabilities": ["tap", "approvals", "questions"],
    "tapBehavior": "eventOnly",
}
"""Every field of a registration. The updates and batches below are valid for an adapter registered so."""

APPROVAL: Final[JsonObject] = {"id": "approval-1", "toolName": "Bash", "commandSummary": "npm test"}
QUESTION: Final[JsonObject] = {
    "id": "question-1",
    "questions": [
        {
            "text": "Which docs?",
            "header": "Docs",
            "multiSelect": True,
            "options": [{"label": "README"}, {"label": "Protocol", "description": "API details"}],
        }
    ],
}
UPDATE: Final[JsonObject] = {
    "title": "fix flaky test",
    "activity": "tool",
    "cwd": "/home/me/app",
    "project": "App",
    "model": "gpt-x",
    "toolLabel": "Bash  npm test",
    "toolKind": "shell",
    "message": {"id": "m7", "text": "first\nsecond"},
    "statusDetail": "running",
    "subagentCount": 2,
    "host": "vm-1",
    "openURL": "myagent://run/7",
    "pid": 4242,
    "background": False,
    "liveText": True,
    "ttlSeconds": 120,
    "approval": APPROVAL,
}
ASKING: Final[JsonObject] = {"title": "t", "activity": "waitingQuestion", "question": QUESTION}
BATCH: Final[JsonObject] = {"sessions": [{"id": "run-1", **UPDATE}, {"id": "run-2", **ASKING}]}
POLL: Final[JsonObject] = {"after": 3, "ack": 2, "waitSeconds": 1}


def changed(base: JsonObject, path: str, value: JsonValue) -> JsonObject:
    """A copy of ``base`` with ``value`` at ``path`` (``a.b[0].c``)."""
    body = copy.deepcopy(base)
    parent, key = _parent_and_key(body, path)
    if isinstance(parent, list):
        parent[int(key)] = value
    else:
        parent[key] = value
    return body


def without(base: JsonObject, path: str) -> JsonObject:
    """A copy of ``base`` with no field at ``path``."""
    body = copy.deepcopy(base)
    parent, key = _parent_and_key(body, path)
    assert isinstance(parent, dict)
    del parent[key]
    return body


def _parent_and_key(body: JsonValue, path: str) -> tuple[JsonObject | list[JsonValue], str]:
    *steps, key = re.findall(r"[^.\[\]]+", path)
    node = body
    for step in steps:
        node = node[int(step)] if isinstance(node, list) else _object(node)[step]
    assert isinstance(node, dict | list)
    return node, key


def _object(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict)
    return value
