"""What the user sees (PySide6): surfaces draw the host's views and emit intents. No sockets, no files."""
