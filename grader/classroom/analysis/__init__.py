"""What a class as a whole shows: item statistics, and similar submissions."""
