"""The embedded census table, its hierarchies and two ready specifications."""

from __future__ import annotations

from sfumato.datasets.census import Study, adult, adult_path, adult_spec_path, hierarchies

__all__ = ["Study", "adult", "adult_path", "adult_spec_path", "hierarchies"]
