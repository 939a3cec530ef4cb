"""Which attributes to microaggregate together: GOMM and D-GOMM."""
