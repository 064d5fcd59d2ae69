"""The command line: one file per verb, loaded when it is called."""

import click


@click.group()
@click.version_option(package_name="equipoise")
def main() -> None:
    """Better, worse, equivalent, or cannot tell: decide about a change from its runs."""
