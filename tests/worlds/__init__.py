"""Two worlds that differ in hidden cells alone must publish the same bytes."""
