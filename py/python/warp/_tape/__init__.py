"""Pictures of tapes. Imported when one is first drawn."""
