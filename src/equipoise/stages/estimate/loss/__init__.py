"""From trials graded under a loss catalog to suites, and from two suites to their cells."""
