"""A strict host of the adapter protocol v1.2: the rules, a listener, and a script to play by.

Owns what the mock (``orbtile_adapter.mock``) and the check (``orbtile_adapter.check``) stand on. It shares
nothing with the application but the wire, and nothing with the client: two implementations that agree about
one corpus of requests are worth more than one that agrees with itself. Standard library only.

The floors, lowest first: ``limits``, ``grammar``, ``text``, ``jsontext`` and ``refusals`` know values;
``fields``, ``png``, ``hues``, ``registration`` and ``updates`` know bodies; ``gate`` knows heads;
``prompts``, ``events``, ``sessions``, ``leases`` and ``consent`` know state; ``engine`` puts them together;
``stage`` plays tricks on purpose; ``http`` and ``server`` know sockets and files.
"""
