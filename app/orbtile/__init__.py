"""Orbtile: what every coding agent is doing, in the system tray.

The package's one fact is its version; every other tool (hatchling, ``/info``, About) reads it from here.
"""

__version__ = "0.1.0"
