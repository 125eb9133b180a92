"""Kernels that several benchmarks launch, what they must compute, and the same for other compilers.

Imports within this folder are relative, so that they hold where a benchmark is run as a file, too.
"""
