"""State and rules (synchronous): leases, sessions, consent. Clock and ports are injected; no Qt, asyncio,
files or sockets.
"""
