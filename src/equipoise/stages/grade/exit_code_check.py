"""The check `exit_code`: whether the system ended with one of the right exit codes."""

from equipoise.errors import NotEstimable
from equipoise.stages.grade.check_specs import ExitCodeSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.material import Material
from equipoise.stages.grade.quoting import cited


def check_exit_code(spec: ExitCodeSpec, material: Material) -> Found:
    """Gives 1 where the exit code is none of the right ones.

    Raises:
        NotEstimable: the trial has no exit code, as one over HTTP.
    """
    found = material.trial.exit_code
    if found is None:
        raise NotEstimable("the trial has no exit code", code="no_exit_code")
    if found in spec.one_of:
        return Found(raw=0.0)
    return Found(raw=1.0, places=cited(material, spec.cite))
