"""The specification: one file, or one object, that says everything about a run."""

from __future__ import annotations

from sfumato.spec.attribute import AttributeSpec, HierarchySpec
from sfumato.spec.choices import canonical_measure_name, format_measure_name, parse_measure_name
from sfumato.spec.sections import (
    ConfidentialSpec,
    DataSpec,
    ObjectivesSpec,
    RecodingSpec,
    ReleaseSpec,
    SearchSpec,
    SuppressionSpec,
)
from sfumato.spec.specification import Spec
