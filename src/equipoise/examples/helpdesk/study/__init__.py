"""The help desk as a loss study: a folder with everything that `equipoise plan` wants."""
