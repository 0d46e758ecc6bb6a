"""How a model below a billion parameters is driven, so that it is of use at all.

Such a model cannot hold a page of instructions, a dozen tools and a growing chat of JSON in mind. So it is asked one
small thing at a time: ``choice`` lets it choose the next step out of a closed list (every tool call that makes sense
now, or answering), by how likely it finds each; ``facts`` restates in plain words what the calls brought; ``answer``
has it answer from that. Nothing here reads the user's words or looks at files: the model chooses, the tools look.
"""

from ironhive_plugins.providers.lmsupply.tiny.model import TinyModel, is_tiny

__all__ = ["TinyModel", "is_tiny"]
