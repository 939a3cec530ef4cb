"""Measures of protection."""
