"""Towards optimal k-anonymization: six schemes and the search for the best of each."""
