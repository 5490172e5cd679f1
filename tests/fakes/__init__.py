"""Stand-ins for the ports of host/ports.py: ``from tests.fakes.clock import FakeClock``."""
