"""Devices: streams, events, captures of graphs, times of what ran, streams of other libraries."""
