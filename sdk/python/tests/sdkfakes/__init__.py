"""What the tests put in the world's place."""
