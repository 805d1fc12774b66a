"""Texts that only the pages of a class use."""

from __future__ import annotations

from collections.abc import Mapping

from grader.core.model import Message, Text

WORDS: Mapping[str, Text] = {
    "submit_page": Message("Submit"),
    "sign_out": Message("Sign out"),
    "sign_out_why": Message("Sign out on a machine that others use. Your personal link signs you in again."),
    "will_submit": Message("This will be submitted"),
    "no_files": Message("Nothing yet: answer quiz items, or save code."),
    "stored_answers": Message("Answers stored:"),
    "unread_answers": Message("These answers cannot be read:"),
    "answers_count": Message("Answers to {count} of {all} graded items"),
    "numbers": Message("Numbers in quiz items are drawn for {id}."),
    "do_submit": Message("Submit now"),
    "again": Message("You can submit again: each submission is kept."),
    "attempts": Message("Your submissions"),
    "none_yet": Message("You have not submitted anything yet."),
    "attempt": Message("Submission {number}"),
    "at": Message("Submitted"),
    "state": Message("State"),
    "points": Message("Points"),
    "waiting": Message("waiting to be graded"),
    "running": Message("being graded"),
    "graded": Message("graded"),
    "refused": Message("cannot be graded"),
    "counts": Message("This submission counts."),
    "not_counts": Message("Another submission counts."),
    "unchanged": Message("You already submitted these files; nothing has changed since."),
    "received": Message("Submitted. Keep the receipt."),
    "receipt": Message("Receipt"),
    "files": Message("Files"),
    "results": Message("Results"),
    "full_report": Message("Full report"),
    "requests": Message("Ask for regrading"),
    "request_what": Message("What it is about"),
    "request_why": Message("Why it should be graded again"),
    "request_send": Message("Send the request"),
    "request_open": Message("waiting for an answer"),
    "yours": Message("Your requests"),
    "grading_stopped": Message("Grading has stopped for the moment. What you submit is safe and will be graded later."),
}

NOTHING = Message("There is nothing to submit yet: answer graded quiz items, or save code.")
TOO_OFTEN = Message("You may submit {most} times in 24 hours. You can submit again in {time}.")
CHECKED_TOO_OFTEN = Message(
    "Your code is saved. You may check {name} {most} times an hour; you can check again in {time}."
)
OURS = Message(
    "Something went wrong on the server. It is not your fault, and your work is saved. If it happens again, tell your "
    "instructor."
)
LONG_FORMULA = Message("This answer has more than {most} characters; write a shorter one.")
OTHER_ANSWERS = Message(
    "The answers.yaml that you uploaded cannot be read, or is someone else's; upload one with “learner: {id}”."
)
FOLDER_FULL = Message("Your files take more than {most} MiB; upload only code and answers.")
LOG_FULL = Message("Your log is full, because you have answered so often; contact your instructor.")
