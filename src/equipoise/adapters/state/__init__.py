"""State that a run changes: a folder, a SQLite file, a PostgreSQL database."""
