"""Attribute-oriented granulation: the running example in full, and the census."""
