"""The study of multi-objective evolutionary optimization in statistical disclosure control."""
