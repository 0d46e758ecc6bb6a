"""ironhive."""
