"""Joins the stages: the archive is read, the stages run, the archive is written."""
