"""Rays, small matrices and sparse rows."""
