"""Which control two arms are: two versions of a skill, with and without, cheap against dear."""

from typing import Any

from equipoise.records.plan import ArmPlan

L1, L2, L3 = "L1", "L2", "L3"

SAYS = {
    L1: "L1: two versions of a skill, all else equal",
    L2: "L2: with the skill and without it, all else equal",
    L3: "L3: one model with the skill, another without it",
    "": "no control of its own: the arms differ in more than the skill",
}


def skill_of(arm: ArmPlan) -> str:
    """Gives the name of the skill that an arm is given; empty = none."""
    skills = _agent(arm).get("skills")
    names = [str(one).rpartition("/")[2] for one in skills] if isinstance(skills, list) else []
    return ", ".join(names)


def control_of(new: ArmPlan, base: ArmPlan) -> str:
    """Gives ``L1``, ``L2`` or ``L3``; empty where the two differ otherwise."""
    one, two = _agent(new), _agent(base)
    keys = {*one, *two} - {"skills", "model"}
    if any(one.get(key) != two.get(key) for key in keys - {"provider"}):
        return ""
    skills = skill_of(new), skill_of(base)
    is_same_model = one.get("model") == two.get("model")
    if is_same_model and one.get("provider") == two.get("provider"):
        if all(skills):
            return L1 if one.get("skills") != two.get("skills") else ""
        return L2 if any(skills) else ""
    return L3 if not is_same_model and any(skills) and not all(skills) else ""


def _agent(arm: ArmPlan) -> dict[str, Any]:
    spec = arm.system.get("agent")
    return spec if isinstance(spec, dict) else {}
