"""The colours (pure): state names, hex parsing, hue rules, ramps. Knows nothing of wire, host or Qt."""
