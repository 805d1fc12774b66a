"""The instructor's desk: explain, override, regrade and mark; analyses and exports of a class."""
