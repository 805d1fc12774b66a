"""Grades submissions: a course, a submission and ``observe`` give a ``Report``. Courses test themselves this way."""
