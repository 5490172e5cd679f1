"""The wire (pure): bytes and JSON in, typed values or one ``ApiError`` out. No I/O, no clock, no Qt."""
