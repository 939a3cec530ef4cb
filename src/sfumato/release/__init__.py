"""Write a release, verify it independently, and keep its recipe and manifest."""

from sfumato.private import process_folder
from sfumato.release.assignment import write_assignment
from sfumato.release.draft import Draft, make_draft
from sfumato.release.grouping import Grouping, make_groupings
from sfumato.release.json_files import atomic_text, check_target, seal_of
from sfumato.release.local_draft import count_stars, make_local_draft, measure_solution, refuse_measures
from sfumato.release.manifest import Manifest, current_versions, manifest_path
from sfumato.release.new_data import TREATMENTS, apply_recipe, count_unknown
from sfumato.release.reapply import (
    count_classes,
    read_recoding,
    recipe_problem,
    sizes_of,
    trim_lattice,
    write_recoding,
)
from sfumato.release.recipe import Generalization, RecipeAttribute
from sfumato.release.reference import specified_sentences
from sfumato.release.withholding import coarser_drafts, open_series, withhold
from sfumato.release.write import check_release_target, release_target, write_release
from sfumato.table.databases import DatabaseTable
from sfumato.verifier import Promise, Recount, bags, holds, recount

bags.temporary_folder = process_folder
