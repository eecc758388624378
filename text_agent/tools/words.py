"""Names that models use for parameters which several tools have; those of one tool stand beside it."""

from __future__ import annotations

PATH = (
    "file filename file_path pathname target target_file target_path"
    " absolute_path relative_path relative_workspace_path uri dir directory dir_path directory_path"
    " folder folder_path root"
)
PATTERN = (
    "query regex regexp regular_expression search search_pattern search_query search_term term"
    " keyword text needle expression q glob glob_pattern file_pattern"
)
