#!/usr/bin/env python3
"""Starts the mock host of the SDK: ``mock-orbtile.py DISCOVERY [--events]``.

Owns nothing but finding the SDK: the one that is installed, or the one in this checkout. What it serves is
``orbtile_adapter.mock``.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    if importlib.util.find_spec("orbtile_adapter") is None:
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sdk" / "python" / "src"))
    runpy.run_module("orbtile_adapter.mock", run_name="__main__", alter_sys=True)
