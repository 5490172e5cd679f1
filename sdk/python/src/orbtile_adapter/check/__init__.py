"""The conformance check: ``python -m orbtile_adapter.check -- COMMAND...``.

Starts the author's adapter against the strict host, plays scenarios against it, and says which rule it
breaks, with the section of the protocol that has it. Owns the scenarios; the rules that the host enforces
are ``orbtile_adapter.host``'s. It judges only what can be seen from outside: requests, and the time between
them.
"""

from orbtile_adapter.check.commandline import main

__all__ = ["main"]
