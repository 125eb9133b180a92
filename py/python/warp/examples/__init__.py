"""Programs that show the package at work; each runs with `python -m warp.examples.NAME`."""
