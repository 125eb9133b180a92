"""Programs with particles."""
