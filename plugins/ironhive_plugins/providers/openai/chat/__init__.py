"""The Chat Completions wire."""
