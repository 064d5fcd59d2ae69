"""Equipoise: did the change make it better, worse, equivalent, or can nobody tell yet?"""

__version__ = "0.1.0"
