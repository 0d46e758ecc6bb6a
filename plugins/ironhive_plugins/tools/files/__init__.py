"""Tools that read files: ReadFile, ListDirectory, GlobFiles and GrepFiles.

Open :mod:`~ironhive_plugins.tools.files.tools` for what a model sees of them. Relative paths start at the session's
working folder, which is a starting point and no boundary.
"""

from ironhive_plugins.tools.files.plugin import ironhive_tools

__all__ = ["ironhive_tools"]
