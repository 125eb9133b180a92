"""Benchmarks; each runs alone, and beside another interpreter's `warp` with `--peer PYTHON`."""
