"""`python -m checker`."""

from checker.cli import main

main()
