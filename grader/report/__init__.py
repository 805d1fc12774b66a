"""Reports for people and for programs: the same facts in a terminal and as JSON."""
