"""The tables and figures of published papers, run again: ``python -m studies NAME``."""
