"""The learner's side: quiz session, log, progress, review and watch, each beside its own view."""
