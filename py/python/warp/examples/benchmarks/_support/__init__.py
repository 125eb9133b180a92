"""What the benchmarks share: timing, turns of contestants, conversions, rivals."""
