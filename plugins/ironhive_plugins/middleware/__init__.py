"""The middleware that come with ironhive; each has an entry point in pyproject.toml."""
