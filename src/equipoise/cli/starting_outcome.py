"""The study that ``equipoise init outcome --phase`` begins with: the starter, made to a phase."""

import re

from equipoise.errors import InputError
from equipoise.records.outcome_plan import Phase

_SCENARIOS = re.compile(rb"^scenarios:.*\n", re.MULTILINE)
_ARMS = re.compile(rb"^baseline:.*\narms:\n(?:[ \t#].*\n|\n(?=[ \t]))*", re.MULTILINE)
_HYPOTHESES = re.compile(rb"^(?:#.*\n)*hypotheses:\n(?:[ \t]+\S.*\n)+\n?", re.MULTILINE)
_TITLE = re.compile(rb"^title:.*\nquestion:.*\n", re.MULTILINE)

_TITLES = {
    Phase.P0: b"""title: P0, bugs
question: Does the pipeline go through, and who mends what a bug really is?
""",
    Phase.P1: b"""title: P1, features with a skill and without
question: Is the skill worth having where much goes without saying?
""",
    Phase.P2: b"""title: P2, decompositions with a skill and without
question: Does the skill find more of the work, mainly at its edges?
""",
    Phase.P3: b"""title: P3, whole epics
question: Do epics end better with the skill?
""",
}
_KEYS = {
    Phase.P0: b"""phase: P0                        # bugs: all of the pack that are not held out
""",
    Phase.P1: b"""phase: P1                        # features: all of the pack that are not held out
after: ../p0                     # a P0 study that was run, graded and compared
# Five of these have hidden_implicit, and no p over five scenarios is below 2/2^5 = 0.0625: H3 can
# be confirmed only after you wrote at least one more such feature, and proved the pack.
""",
    Phase.P2: b"""phase: P2                        # the quality of decompositions alone
after: ../p0                     # a P0 study that was run, graded and compared
# The pack has two of these, and H4 can be confirmed over at least six: write four more.

# What a decomposition covers is judged, by models of no arm's family:
# judges:
#   policy: double
#   judges:
#     - {name: reader, model: {model: MODEL-ID, provider: PROVIDER}}
""",
    Phase.P3: b"""phase: P3                        # whole epics; run asks for --confirm-budget
budget: {max_usd: 60, cell_timeout_s: 3600}
""",
}
_PAIR = b"""# One agent twice, and a skill in one of them. Stand-ins read no skill: both do the
# same, and the rehearsal finds nothing; put your agent into both.
baseline: bare
arms:
  - name: bare
    agent:
"""
_AGENT = b"""      harness: {scripted: {scenario: pack/agents/literal.yaml}}
      model: stand-in-2026-01-01
      provider: {scripted: model.yaml}
"""
_CLAIMS = {
    Phase.P0: b"""  - id: H1
    statement: Who thinks further mends more of what a bug really is
    metric: main
    direction: better
    threshold: 0.0
    primary: true
""",
    Phase.P1: b"""  - id: H3
    statement: Designing first digs out implicit requirements
    metric: hidden_implicit
    direction: better
    threshold: 0.0
    primary: true
    kinds: [feature]
    control: L2
""",
    Phase.P2: b"""  - id: H4
    statement: Decomposing by the skill finds more of the work, mainly at its edges
    metric: decomposition
    direction: better
    threshold: 0.0
    primary: true
    kinds: [decompose]
    control: L2
""",
    Phase.P3: b"""  - id: H1
    statement: Whole epics end better with the skill
    metric: hidden
    direction: better
    threshold: 0.0
    primary: true
    control: L2
""",
}
_SKILLS = {Phase.P1: b"feature", Phase.P2: b"epic", Phase.P3: b"epic"}


def of_phase(starter: bytes, name: str) -> bytes:
    """Gives the study file of a phase, from that of the starter.

    Raises:
        InputError: there is no such phase.
    """
    try:
        phase = Phase(name)
    except ValueError as error:
        raise InputError(
            f"--phase {name}", wanted=f"one of {', '.join(Phase)}", code="option"
        ) from error
    text = _TITLE.sub(lambda _: _TITLES[phase], starter, count=1)
    text = _SCENARIOS.sub(lambda _: _KEYS[phase], text, count=1)
    if phase is not Phase.P0:
        pair = _PAIR + _AGENT + b"  - name: with-skill\n    agent:\n"
        pair += _AGENT + b"    skill: " + _SKILLS[phase] + b"\n\n"
        text = _ARMS.sub(lambda _: pair, text, count=1)
    text = _HYPOTHESES.sub(b"", text)
    text += b"\n# What is claimed, before anything is run; without it the study explores.\n"
    text += b"hypotheses:\n" + _CLAIMS[phase]
    return text
