"""The Settings window: its pages and their rows."""
