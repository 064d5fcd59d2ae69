"""Terms of a translation: scripts, folding, matching, echo; pure functions over text."""
