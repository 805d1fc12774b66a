"""The faults that attncheck is held to survive, each with the tests that have it."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

FAULTS: dict[str, tuple[str, ...]] = {
    # processes
    "the zygote is killed while it starts": (
        "faults/test_zygotes.py::test_killed_while_it_starts",
        "faults/test_zygotes.py::test_the_inner_process_killed_while_it_starts",
        "sandbox/test_zygote.py::test_a_zygote_that_ends_at_its_start",
    ),
    "the zygote is killed between or during children, outer or inner process": (
        "sandbox/test_zygote.py::test_a_zygote_that_dies_is_replaced",
        "faults/test_zygotes.py::test_killed_at_any_moment",
        "faults/test_ends.py::test_a_batch_whose_processes_are_killed",
    ),
    "the zygote is killed again and again": ("sandbox/test_zygote.py::test_a_zygote_that_dies_again_is_our_fault",),
    "the zygote never becomes ready": ("sandbox/test_zygote.py::test_waiting_for_a_silent_zygote_has_an_end",),
    "a child is killed": (
        "faults/test_zygotes.py::test_a_child_that_is_killed",
        "sandbox/test_launch.py::test_only_what_ends_badly_is_lost",
    ),
    "a child closes its pipe, or writes half a frame": (
        "faults/test_zygotes.py::test_half_a_frame",
        "sandbox/test_launch.py::test_only_what_ends_badly_is_lost",
        "sandbox/test_launch.py::test_forged_frames_gain_nothing",
    ),
    "a child does not read": ("sandbox/test_launch.py::test_a_child_that_does_not_read_is_charged_for_it",),
    "the control socket is shut": (
        "faults/test_zygotes.py::test_the_control_socket_is_shut",
        "sandbox/test_zygote.py::test_an_answer_without_a_child_is_a_lost_zygote",
    ),
    "the grader is killed": (
        "sandbox/test_zygote.py::test_nothing_outlives_the_grader",
        "faults/test_ends.py::test_workers_end_with_whoever_started_them",
        "faults/test_ends.py::test_a_worker_looks_after_its_parent",
    ),
    "a worker process is killed": (
        "test_batch.py::test_a_worker_that_dies",
        "faults/test_ends.py::test_a_batch_whose_processes_are_killed",
    ),
    "a batch is killed": (
        "test_batch.py::test_a_batch_that_was_killed_goes_on",
        "faults/test_ends.py::test_a_batch_that_is_ended_at_any_moment",
    ),
    "SIGINT, SIGTERM or SIGHUP at any moment": (
        "faults/test_ends.py::test_a_command_that_is_told_to_end",
        "faults/test_ends.py::test_a_batch_that_is_ended_at_any_moment",
        "faults/test_ends.py::test_a_second_interruption_ends_at_once",
        "faults/test_ends.py::test_who_does_not_listen_is_not_made_to",
        "test_batch.py::test_a_batch_goes_on_where_it_was_stopped",
    ),
    "regrading is interrupted": ("test_regrading.py::test_a_crash_while_putting_down",),
    # disks
    "no room for the gradebook": (
        "test_gradebook.py::test_a_full_disk",
        "faults/test_books.py::test_a_disk_that_is_full",
        "faults/test_rooms.py::test_files_that_may_not_grow",
    ),
    "no room for files of results": (
        "faults/test_books.py::test_a_folder_that_is_read_only",
        "faults/test_rooms.py::test_files_that_may_not_grow",
        "test_files.py::test_a_failure_leaves_the_old_file",
    ),
    "no room for new files": ("test_files.py::test_a_new_file_that_does_not_fit_is_none",),
    "no room for exports and pages": ("faults/test_books.py::test_a_disk_that_is_full",),
    "no room for the log of a learner": (
        "test_state.py::test_a_full_disk_is_said",
        "faults/test_books.py::test_a_log_that_does_not_fit",
    ),
    "no room for the cache": (
        "test_cache.py::test_a_failing_disk_costs_nothing_but_time",
        "test_expectations.py::test_no_room_for_a_secret",
    ),
    "no room for what is unpacked": ("test_collect.py::test_no_room_for_copies",),
    "no room in the inbox": ("test_inbox.py::test_a_full_disk_leaves_nothing",),
    "no room where output goes": (
        "faults/test_streams.py::test_output_that_does_not_fit",
        "faults/test_streams.py::test_the_rest_of_the_output_does_not_fit",
    ),
    "no room or no files for a worker": ("faults/test_rooms.py::test_a_worker_that_is_short_of_something",),
    "a read-only folder of results": ("faults/test_books.py::test_a_folder_that_is_read_only",),
    "a power failure in a transaction": ("faults/test_books.py::test_pages_torn_by_a_power_failure",),
    "a power failure while handing in": ("test_inbox.py::test_half_a_receipt",),
    "a power failure while unpacking": (
        "test_collect.py::test_copies_that_lost_power",
        "test_collect.py::test_collecting_again_finds_what_is_there",
    ),
    "a power failure while a log is written": (
        "test_state.py::test_a_line_cut_short_anywhere_costs_that_line_only",
        "test_state.py::test_a_killed_process_loses_at_most_what_it_had_not_said",
    ),
    "somebody hands in while an inbox is collected": (
        "test_collect.py::test_what_moves_while_it_is_collected",
        "test_inbox.py::test_what_is_on_its_way_is_not_there",
    ),
    "no right to look into a folder of a collection": (
        "test_collect.py::test_folders_that_cannot_be_looked_into",
        "test_inbox.py::test_everybody_can_read_what_is_handed_in",
    ),
    "a network folder": (
        "faults/test_books.py::test_no_write_ahead_log",
        "faults/test_books.py::test_what_goes_wrong_beneath_the_book",
        "faults/test_books.py::test_a_folder_without_locks",
    ),
    "a gradebook of an earlier format": (
        "faults/test_books.py::test_an_earlier_format_is_brought_up_to_date",
        "faults/test_books.py::test_an_earlier_format_that_is_not_known_is_left_alone",
    ),
    "a migration is interrupted, killed, or made twice": (
        "faults/test_books.py::test_bringing_up_to_date_that_breaks_off",
        "faults/test_books.py::test_bringing_up_to_date_that_is_killed",
        "faults/test_books.py::test_two_bring_it_up_to_date",
    ),
    "a gradebook of a later format": ("test_gradebook.py::test_books_of_other_versions",),
    "a cache full of rubbish, or one that cannot be written": (
        "faults/test_rooms.py::test_a_cache_full_of_rubbish",
        "faults/test_rooms.py::test_a_cache_that_cannot_be_written",
        "test_cache.py::test_a_folder_of_somebody_else_is_refused",
    ),
    # two at a time
    "two batches on one folder": ("test_batch.py::test_one_batch_at_a_time",),
    "regrading, forgetting or giving points during a batch": ("faults/test_books.py::test_one_at_a_time",),
    "reading during a batch": ("faults/test_books.py::test_reading_goes_on_meanwhile",),
    "two writers of one gradebook": ("test_gradebook.py::test_two_writers",),
    "two writers of one log": ("test_state.py::test_two_processes_lose_nothing",),
    # the machine
    "too few files": (
        "faults/test_rooms.py::test_too_few_files",
        "faults/test_rooms.py::test_few_files",
        "faults/test_zygotes.py::test_no_files_for_a_zygote",
        "faults/test_zygotes.py::test_no_files_for_a_child",
        "faults/test_zygotes.py::test_a_zygote_that_is_short_of_something",
    ),
    "too many processes": ("faults/test_zygotes.py::test_no_process_for_a_zygote",),
    "too little memory in the parent": (
        "faults/test_rooms.py::test_too_little_memory",
        "faults/test_rooms.py::test_memory_that_runs_out",
        "test_machine.py::test_what_is_missing",
    ),
    "no home": (
        "faults/test_rooms.py::test_nobody_at_home",
        "test_cache.py::test_nobody_without_a_home_gets_a_folder_of_that_name",
        "test_state.py::test_nobody_without_a_home_gets_a_folder_of_that_name",
    ),
    "a terminal that knows ASCII alone": ("faults/test_streams.py::test_a_terminal_that_knows_ascii_alone",),
    "no data base of time zones": ("faults/test_clocks.py::test_no_time_zones",),
    # clocks
    "the clock is set while code runs": (
        "faults/test_zygotes.py::test_limits_do_not_ask_for_the_time_of_day",
        "faults/test_zygotes.py::test_nothing_is_timed_by_the_time_of_day",
    ),
    "the clock is wrong while grading": ("faults/test_clocks.py::test_lateness_is_that_of_the_intake",),
    "the clock is set while handing in": ("test_inbox.py::test_a_clock_that_is_set_back_changes_no_order",),
    "the clock is set between reviews": (
        "faults/test_clocks.py::test_reviews_at_impossible_times",
        "faults/test_clocks.py::test_a_card_of_the_future_comes_up",
    ),
    "the clock is before all zips": ("faults/test_clocks.py::test_zips_that_are_made_before_their_time",),
    # streams
    "nobody reads the output": (
        "faults/test_streams.py::test_streams_that_are_closed",
        "faults/test_streams.py::test_an_output_without_a_reader",
        "faults/test_rooms.py::test_a_reader_who_has_gone",
        "commands/test_main.py::test_a_closed_pipe_is_no_error",
    ),
    "standard streams are closed": (
        "faults/test_streams.py::test_streams_that_are_closed",
        "faults/test_streams.py::test_closed_streams_are_given_a_place",
    ),
    "a terminal goes away during a quiz": ("faults/test_streams.py::test_a_terminal_that_goes_away",),
}


@functools.cache
def names_in(path: Path) -> frozenset[str]:
    """The names of the tests of a file."""
    nodes = ast.parse(path.read_text("utf-8")).body
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_has_its_tests(fault: str) -> None:
    """They are there, by these names."""
    for test in FAULTS[fault]:
        file, name = test.split("::")
        assert name in names_in(TESTS / file), test


def test_every_test_here_has_its_fault() -> None:
    """The list is whole."""
    listed = {test for tests in FAULTS.values() for test in tests}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        assert path.name == "test_list.py" or {f"faults/{path.name}::{name}" for name in names_in(path)} <= listed
