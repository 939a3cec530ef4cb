"""What all studies share: results, tables, figures, summaries over seeds."""
