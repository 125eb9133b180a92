"""Whole programs for `benchmark_programs`, as users write them: each module has one, and what NumPy finds for it.

The modules use only what both runtimes offer under the name `warp`. Imports within this folder are relative, so that
they hold where the benchmark is run as a file, too.
"""
