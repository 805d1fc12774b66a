"""``python -m grader`` is ``attncheck``."""

from grader.commands import main

if __name__ == "__main__":
    main()
