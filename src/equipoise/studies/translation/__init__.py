"""Studies of translation: how terms come through, with and without a glossary."""
