"""Microaggregation: records in clusters of at least k, released as the centre of their cluster."""

from sfumato.microaggregation.cluster_search import ClusterSolution, bound_error, search_clusters
from sfumato.microaggregation.column_groups.columns import GroupingResult, GroupingSettings
from sfumato.microaggregation.frames import group_attributes
from sfumato.microaggregation.partitioning import mdav, univariate, v_mdav, warm_up_kernels
from sfumato.microaggregation.protection import (
    Links,
    Scores,
    information_loss,
    interval_disclosure,
    link_records,
    measure_protection,
)

__all__ = [
    "ClusterSolution",
    "GroupingResult",
    "GroupingSettings",
    "Links",
    "Scores",
    "bound_error",
    "group_attributes",
    "information_loss",
    "interval_disclosure",
    "link_records",
    "mdav",
    "measure_protection",
    "search_clusters",
    "univariate",
    "v_mdav",
    "warm_up_kernels",
]
