"""Benchmarks for asv: how fast, how large, and how good."""
