"""How the statistical layer is trained and measured; not needed to run the guard."""
