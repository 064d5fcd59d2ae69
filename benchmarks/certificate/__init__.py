"""The coverage certificate: measures by simulation what the printed intervals and verdicts promise.

Run: ``python -m benchmarks.certificate`` (``--quick`` for a small run, ``--check`` to leave
docs/certificate.md alone). It calls the shipped functions and no others.
"""
