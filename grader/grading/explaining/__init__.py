"""Why a result is wrong: voices that each look at the same evidence."""
