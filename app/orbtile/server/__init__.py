"""The socket's side (asyncio + httptools, no Qt): bytes to request heads, the host's answers to bytes."""
