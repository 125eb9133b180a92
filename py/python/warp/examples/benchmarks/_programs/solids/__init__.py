"""Programs with springs, constraints and rigid bodies."""
