"""The door from a checkout: ``python cli.py …`` does what the installed ``attncheck …`` does."""

from grader.commands import main

if __name__ == "__main__":
    main()
