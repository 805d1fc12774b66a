"""What learners may copy once they have solved it."""
