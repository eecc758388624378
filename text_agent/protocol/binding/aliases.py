"""Other names that models use for tools and parameters.

An alias counts only where its target exists, and where it is not itself the name of a tool or parameter.
Names are compared folded: without case, dashes, underscores and blanks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType


def fold_name(name: str) -> str:
    """The form in which names are compared."""
    return "".join(name.split()).replace("-", "").replace("_", "").casefold()


def _table(names: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    folded = {
        real: frozenset(fold_name(alias) for alias in aliases.split()) for real, aliases in names.items()
    }
    return MappingProxyType(folded)


# Names that mean the tool itself: its arguments fit, perhaps under other names.
TOOL_ALIASES: Mapping[str, frozenset[str]] = _table(
    {
        "read_file": "read cat view view_file open open_file show_file get_file get_file_contents file_read",
        "list_files": (
            "ls dir list list_dir list_directory list_folder list_files_in_directory read_dir read_folder"
            " glob glob_files find_files find_file file_glob_search tree"
        ),
        "edit_file": (
            "edit str_replace string_replace replace replace_in_file search_replace search_and_replace"
            " file_edit"
        ),
        "write_file": "write create create_file create_new_file new_file save_file write_to_file file_write",
        "search": (
            "grep rg ripgrep grep_files grep_search search_files search_code search_text search_in_files"
            " find_in_files code_search search_file_content"
        ),
        "run_command": (
            "bash sh shell zsh terminal run exec execute run_shell run_bash run_cmd run_terminal"
            " run_terminal_cmd run_terminal_command run_in_terminal run_shell_command shell_command"
            " bash_command execute_bash execute_command execute_shell execute_shell_command exec_command"
            " command"
        ),
        "update_plan": "plan todo todo_write write_todos update_todos update_todo_list set_plan make_plan",
    }
)

# Names that come nearest to the tool, although their arguments mean something else.
TOOL_RELATIVES: Mapping[str, frozenset[str]] = _table(
    {
        "run_command": (
            "python run_python execute_python python_repl ipython code_interpreter run_code execute_code"
            " run_tests pytest test git npm pip make node mkdir rm mv cp delete_file remove_file move_file"
            " rename_file copy_file make_directory create_directory create_folder curl wget"
        ),
        "edit_file": (
            "write_file create_file write create patch apply_patch apply_diff multi_edit insert"
            " insert_text append append_file append_to_file delete_lines modify_file update_file"
            " str_replace_editor str_replace_based_edit_tool"
        ),
        "search": "semantic_search codebase_search file_search find find_symbol list_code_definition_names",
        "read_file": "read_files read_many_files head tail sed fetch",
    }
)

# Names of parameters; `start` and `end` are lines, `timeout` is seconds.
PARAMETER_ALIASES: Mapping[str, frozenset[str]] = _table(
    {
        "path": (
            "file filename file_path pathname target target_file target_path"
            " absolute_path relative_path relative_workspace_path uri dir directory dir_path directory_path"
            " folder folder_path root"
        ),
        "start": "start_line line_start from from_line first_line begin offset",
        "end": "end_line line_end to to_line last_line stop",
        "pattern": (
            "query regex regexp regular_expression search search_pattern search_query search_term term"
            " keyword text needle expression q glob glob_pattern file_pattern"
        ),
        "glob": "include file_glob file_pattern glob_pattern include_pattern",
        "command": "cmd command_line shell_command bash_command bash shell script",
        "timeout": "timeout_seconds timeout_secs timeout_sec timeout_s time_limit",
        "content": (
            "contents text body data file_text file_content file_contents new_content file_body source code"
        ),
        "old_str": (
            "old old_string old_text old_content old_code search search_text search_string search_str find"
            " find_text original original_text before from from_text"
        ),
        "new_str": (
            "new new_string new_text new_content new_code replace replacement replace_with replace_text"
            " replacement_text replace_string with updated updated_text after to to_text"
        ),
        "steps": "plan todo todos tasks items step_list plan_steps",
        "done": "completed finished complete done_steps completed_steps",
    }
)


def real_names(name: str, candidates: Iterable[str], aliases: Mapping[str, frozenset[str]]) -> list[str]:
    """Those of `candidates` that `name` is an alias of."""
    folded = fold_name(name)
    return [candidate for candidate in candidates if folded in aliases.get(candidate, ())]
