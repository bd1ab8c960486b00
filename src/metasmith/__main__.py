"""`python -m metasmith` is `metasmith`."""

from metasmith.cli import main

if __name__ == "__main__":
    main()
