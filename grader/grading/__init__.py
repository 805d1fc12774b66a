"""A course, a submission and ``observe`` give a ``Report``; the course proves itself the same way."""
