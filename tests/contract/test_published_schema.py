"""The schema that we publish says, in its own words, what the specification's says: its constraints are the
same.

The specification is not part of this repository, so what is compared is a digest: SHA-256 over the canonical
JSON of the schema without its descriptions, taken from the specification's file for v1.2.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from orbtile.protocol.fields import JsonValue

SCHEMA_FILE = Path(__file__).parents[2] / "resources" / "adapter-protocol-v1.schema.json"
CONSTRAINTS_SHA256 = "c55171b4d4bba99929a113bc06a1631408d88fa4afc7392cab454bd50191ad7c"


def constraints_of(schema: JsonValue) -> JsonValue:
    """Everything but texts for people. A field that is called ``description`` is an object, and stays."""
    if isinstance(schema, dict):
        return {
            name: constraints_of(value)
            for name, value in schema.items()
            if not (name == "description" and isinstance(value, str))
        }
    return [constraints_of(item) for item in schema] if isinstance(schema, list) else schema


def digest(schema: JsonValue) -> str:
    canonical = json.dumps(constraints_of(schema), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def published() -> dict[str, JsonValue]:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    assert isinstance(schema, dict)
    return schema


def test_every_constraint_is_the_specification_s() -> None:
    assert digest(published()) == CONSTRAINTS_SHA256


def test_a_changed_constraint_would_be_found() -> None:
    schema = published()
    defs = schema["$defs"]
    assert isinstance(defs, dict)
    assert isinstance(defs["SessionID"], dict)
    defs["SessionID"]["pattern"] = "^.*$"
    assert digest(schema) != CONSTRAINTS_SHA256


def test_a_changed_word_would_not() -> None:
    schema = published()
    schema["description"] = "Other words."
    assert digest(schema) == CONSTRAINTS_SHA256


def refs_of(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from refs_of(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from refs_of(item)


def test_every_definition_explains_itself_and_every_reference_leads_to_one() -> None:
    defs = published()["$defs"]
    assert isinstance(defs, dict)
    assert [
        name for name, body in defs.items() if not isinstance(body, dict) or "description" not in body
    ] == []
    assert {ref.removeprefix("#/$defs/") for ref in refs_of(published())} <= defs.keys()
