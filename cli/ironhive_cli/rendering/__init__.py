"""How a turn is shown: text as it comes, text at once, one JSON document, or JSON lines.

Each form is a :class:`~ironhive_cli.rendering.form.Form`; :func:`~ironhive_cli.rendering.choose.choose_form` picks one.
"""
