"""Effects and rules of claims as the catalogue would read them."""

from pydantic import TypeAdapter

from pipeline.catalogue.claims import Effect, Rule

EFFECT, RULE = TypeAdapter(Effect), TypeAdapter(Rule)


def effect(**fields):
    """An effect as declared; without a rule of its own it has one that anything above 0 satisfies."""
    return EFFECT.validate_python({"reproduced": {"above": 0}} | fields)


def rule(given):
    """A region or a list of regions; the words `outside` and `never` stay words."""
    return given if isinstance(given, str) else RULE.validate_python(given)
