"""What of an observation counts under a contract, after its exceptions have dropped the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.told import told_change, told_fallback, told_misfit, told_site
from pytest_compilecheck.judge.verdict import Allowed, Number
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback, Observation
from pytest_compilecheck.observe.values.recompile import RecompileEvent


@dataclass(slots=True)
class Rule:
    """An exception of the contract, with what it excused so far."""

    allowance: Allowance
    matched: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)
    nearly: dict[str, None] = field(default_factory=dict)  # each once, in order

    def compare(self, subject: object) -> None:
        """Note what nothing excuses, where one key alone keeps this exception from it."""
        misfit = self.allowance.only_misfit(subject)
        if misfit is not None:
            self.nearly[told_misfit(self.allowance.kind, *misfit)] = None

    def told(self) -> Allowed:
        """For the verdict."""
        return Allowed(
            rule=self.allowance.describe(),
            because=self.allowance.because,
            matched=tuple(self.matched),
            partly=tuple(self.partly),
            nearly=() if self.matched or self.partly else tuple(self.nearly),
        )


class Case:
    """What counts, after exceptions and owners have dropped the rest."""

    def __init__(self, contract: Contract, seen: Observation, torch_version: str) -> None:
        self.contract = contract
        self.seen = seen
        self._torch_version = torch_version
        self.rules: list[Rule] = []
        break_rules = self._rules(contract.allow_breaks)
        recompile_rules = self._rules(contract.allow_recompiles)
        fallback_rules = self._rules(contract.allow_fallbacks)
        self.sites: list[BreakSite] = []
        self.excused_sites: list[int] = []
        for index, site in enumerate(seen.break_sites):
            foreign = contract.owners is not None and site.owner not in contract.owners
            if _excused(site, told_site(site), break_rules) or foreign:
                self.excused_sites.append(index)
            else:
                self.sites.append(site)
        self.events: list[RecompileEvent] = []
        self.excused_recompiles: list[int] = []
        for index, event in enumerate(seen.recompile_events):
            if _excused_event(event, recompile_rules):
                self.excused_recompiles.append(index)
            else:
                self.events.append(event)
        self.fallbacks: list[Fallback] = []
        self.excused_fallbacks: list[int] = []
        for index, fallback in enumerate(seen.fallbacks):
            told = told_fallback(fallback)
            if fallback.kind != "nothing_compiled" and _excused(fallback, told, fallback_rules):
                self.excused_fallbacks.append(index)
            else:
                self.fallbacks.append(fallback)

    def _rules(self, allowances: Iterable[Allowance]) -> list[Rule]:
        rules = [Rule(allowance) for allowance in allowances]
        self.rules += rules
        return rules

    def bound(self, name: str) -> Number | None:
        """The number that applies, None without a bound."""
        value: Number | None = getattr(self.contract, name).at(self._torch_version)
        return value


def _excused(subject: object, told: str, rules: Sequence[Rule]) -> bool:
    fitting = [rule for rule in rules if rule.allowance.excuses(subject)]
    for rule in fitting:
        rule.matched.append(told)
    if not fitting:
        for rule in rules:
            rule.compare(subject)
    return bool(fitting)


def _excused_event(event: RecompileEvent, rules: Sequence[Rule]) -> bool:
    """Whether each of the changes that led to a rebuild is excused: one alone would have done."""
    alone = [replace(event, changes=(change,)) for change in event.changes]
    covered = {
        index: [each for each in alone if rule.allowance.excuses(each)]
        for index, rule in enumerate(rules)
    }
    excused = all(any(each in found for found in covered.values()) for each in alone)
    for index, found in covered.items():
        if found and excused:
            rules[index].matched.append(told_change(event.call, found[0].changes[0]))
        elif found:
            covers = f"{len(found)} of the {len(alone)} changes"
            rules[index].partly.append(f"call {event.call}: {covers} of a rebuild")
        elif not excused:
            for each in alone:
                rules[index].compare(each)
    return excused
