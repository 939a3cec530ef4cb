"""Pictures of fronts, two solutions side by side, and the report about a release: pages that open offline."""
