"""The original and its release: what attackers achieve, and what analyses still give."""
