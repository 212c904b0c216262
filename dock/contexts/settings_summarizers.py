"""What the page of the summarizers prints: who writes the summaries, by agent, within which limits, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.contrib.auth.models import User
from django.db.models import Count
from django.utils import timezone

from dock.contexts import links, settings
from dock.contexts.settings import Field, Frame
from dock.forms.settings import SettingsForm
from memory.capture import usage
from memory.capture.platforms import registry
from memory.configuration import actions, keys, memsearch, summarizing
from memory.configuration.memsearch import Configuration
from memory.configuration.summarizing import Status, Trial
from memory.models import Capture, Project
from memory.models.capture import CaptureState

NAME = "settings-summarizers"

_AUTO = keys.SUMMARIZERS[0]

_WORDS = {
    "auto": (
        "Automatic",
        "As the agent's MemSearch plugin does: the provider that is chosen for the agent below, else the agent's own program.",
    ),
    "dsh-headless": ("DeepSeek Harness", "The dsh on this machine, run once a turn with capture switched off in it."),
    "claude": (
        "Claude Code",
        "claude -p on this machine, without tools, with the model haiku unless another is named.",
    ),
    "codex": ("Codex", "codex exec on this machine, without a shell, with the model that it has by default."),
    "custom-llm": ("A provider", "A model over HTTP: OpenAI's shape, Anthropic or Gemini, as the fields below say."),
    "extractive": (
        "Without a model",
        "The question, the tools, the files, the errors and the end of the answer, taken out of the turn. "
        "Costs nothing, needs no key and works offline.",
    ),
    "off": ("Nobody", "The journal gets a note with the anchor of each turn, which can be summarised later."),
}
"""What each choice is called and does."""

_SHARED = (
    ("llm.provider", "Provider", "openai, openai-compatible, anthropic, gemini, or a name of your config.toml."),
    ("llm.model", "Model", "Empty means the provider's usual one."),
    ("llm.base_url", "Address", "Of an endpoint in OpenAI's shape, such as http://127.0.0.1:11434/v1."),
    (
        "llm.api_key",
        "API key",
        "Best as env:NAME, so that only the environment holds it. Left empty, it stays as it is.",
    ),
)
_SWITCHES = (
    ("capture.enabled", "Capture turns", "Off, turns are answered for and left out of the journal."),
    ("capture.subagents", "Capture turns of sub-agents", "They repeat much of what their parent says."),
)
_LIMITS = (
    (
        usage.CAP,
        "Summaries and runs of upkeep a day, by models",
        "Of all projects, as the next two. Over it, turns are captured without a summary and can be tried again. "
        "0 means no limit.",
    ),
    (usage.TOKENS, "Tokens a day", "In and out. 0 means no limit."),
    (
        usage.CENTS,
        "US cents a day",
        "Of what summarizers tell: Claude Code does, the others name no price. 0: no limit.",
    ),
    (
        keys.TIMEOUT,
        "Seconds for a summary",
        "0 leaves each summarizer its own: 110 for Claude Code, 30 for a provider.",
    ),
)
_REASONS = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to summarise; `reason` says why it could not work now."""

    value: str
    id: str
    name: str
    label: str
    text: str
    is_chosen: bool
    reason: str


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent: what summarises its turns as things are set up, and its own provider and model."""

    platform: str
    label: str
    summarizer: str
    reason: str
    own: Field
    provider: Field
    model: Field


@dataclass(frozen=True, slots=True)
class Today:
    """Summaries of this local day; without a cost none is known. `failures` are reasons and how often each came.

    `counted` is what counts towards the cap: what models were asked for, in all projects, upkeep included.
    """

    summaries: int
    input_tokens: int
    output_tokens: int
    cost: str
    counted: int
    cap: int
    failures: list[tuple[str, int]]
    failures_url: str
    captures_url: str


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a try."""

    title: str
    lines: list[str]
    reason: str
    facts: str


@dataclass(frozen=True, slots=True)
class Summarizers:
    """The page; `stale` where somebody else was faster than this person."""

    frame: Frame
    choices: list[Choice]
    choice_source: str
    choice_is_own: bool
    choice_error: str
    agents: list[AgentRow]
    shared: list[Field]
    switches: list[Field]
    limits: list[Field]
    seen: str
    today: Today
    try_url: str
    tried: Tried | None
    stale: bool


def wanted() -> list[str]:
    """Return the keys that the page sets."""
    agents = [f"plugins.{platform}.summarize.{part}" for platform in keys.PLATFORMS for part in ("provider", "model")]
    others = [key for key, *_ in (*_SHARED, *_SWITCHES, *_LIMITS)]
    own = [f"{keys.SUMMARIZER}s.{platform}" for platform in keys.PLATFORMS]
    return [keys.SUMMARIZER, *own, *agents, *others]


def page(
    project: Project | None,
    person: User,
    *,
    at: datetime,
    form: SettingsForm | None = None,
    trial: tuple[str, Trial] | None = None,
    stale: bool = False,
) -> Summarizers:
    """Build the page. Seven queries, and one an agent."""
    configuration = memsearch.effective(project)
    held = configuration.values[keys.SUMMARIZER]
    found = settings.frame(NAME, project, person, of_projects=True)
    return Summarizers(
        frame=settings.with_problems(found, configuration),
        choices=_choices(configuration, form),
        choice_source=settings.source_words(held),
        choice_is_own=held.source == actions.source(project),
        choice_error=form.error(keys.SUMMARIZER) if form else "",
        agents=[_agent(platform, configuration, project, form) for platform in keys.PLATFORMS],
        shared=[_field(one, configuration, project, form) for one in _SHARED],
        switches=[_field(one, configuration, project, form) for one in _SWITCHES],
        limits=[_field(one, configuration, project, form) for one in _LIMITS],
        seen=settings.stamp(project, wanted()),
        today=_today(project, configuration, at),
        try_url=links.to("settings-try", project=found.project),
        tried=tried(*trial) if trial else None,
        stale=stale,
    )


def _field(
    told: tuple[str, str, str], configuration: Configuration, project: Project | None, form: SettingsForm | None
) -> Field:
    key, label, help_text = told
    return settings.field(key, label, configuration, project, help=help_text, form=form)


def _choices(configuration: Configuration, form: SettingsForm | None) -> list[Choice]:
    held = configuration.text(keys.SUMMARIZER)
    chosen = (form.sent(keys.SUMMARIZER) if form else held) or _AUTO
    return [_choice(name, chosen, held, configuration) for name in keys.SUMMARIZERS]


def _choice(name: str, chosen: str, held: str, configuration: Configuration) -> Choice:
    label, text = _WORDS[name]
    reason = "" if name == _AUTO else summarizing.missing(name, "", configuration)
    value = "" if name == _AUTO and held != _AUTO else name  # an unchanged form must change nothing
    return Choice(value, f"summarizer-{name}", name, label, text, name == chosen, reason)


def _agent(platform: str, configuration: Configuration, project: Project | None, form: SettingsForm | None) -> AgentRow:
    status: Status = summarizing.status(project, platform, configuration)
    plugin, label = f"plugins.{platform}.summarize", registry.of(platform).agent_name
    names = configuration.provider_names()
    options = [("", "none"), ("native", "none (native)"), *((name, name) for name in _providers(names))]
    return AgentRow(
        platform=platform,
        label=label,
        summarizer=_WORDS[status.name][0] if status.name else "nothing",
        reason=status.reason,
        own=settings.field(
            f"{keys.SUMMARIZER}s.{platform}",
            f"Summarizer for {label}",
            configuration,
            project,
            options=_own(),
            form=form,
        ),
        provider=settings.field(
            f"{plugin}.provider", f"Provider for {label}", configuration, project, options=options, form=form
        ),
        model=settings.field(
            f"{plugin}.model", f"Model for {label}", configuration, project, placeholder="its usual one", form=form
        ),
    )


def _own() -> list[tuple[str, str]]:
    return [("", "as chosen above"), *((name, _WORDS[name][0]) for name in keys.SUMMARIZERS)]


def _providers(names: list[str]) -> list[str]:
    """Return the names that a provider may have: those of the configuration, and the types that need no table."""
    return [*names, *(name for name in keys.PROVIDER_TYPES if name not in names)]


def _today(project: Project | None, configuration: Configuration, at: datetime) -> Today:
    owner = project.name if project else ""
    today = timezone.localdate(at)
    day = next((one for one in usage.days(project, limit=1) if one.day == today), None)
    return Today(
        summaries=day.summaries if day else 0,
        input_tokens=day.input_tokens if day else 0,
        output_tokens=day.output_tokens if day else 0,
        cost=_dollars(day.cost_usd) if day and day.cost_usd else "",
        counted=usage.today(at=at),
        cap=configuration.number(usage.CAP),
        failures=_failures(project, at),
        failures_url=links.to("capture-list", project=owner, state=CaptureState.UNAVAILABLE.value),
        captures_url=links.to("capture-list", project=owner),
    )


def _failures(project: Project | None, at: datetime) -> list[tuple[str, int]]:
    """Count the reasons why turns of today have no summary, the most frequent first."""
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    rows = Capture.objects.filter(state=CaptureState.UNAVAILABLE, written_at__gte=midnight)
    rows = rows.filter(project=project) if project else rows
    return list(rows.values_list("reason").annotate(n=Count("pk")).order_by("-n", "reason")[:_REASONS])


def tried(platform: str, trial: Trial) -> Tried:
    name = _WORDS[trial.name][0] if trial.name else "Nothing"
    facts = [f"{trial.seconds:.1f} s", trial.model, f"{trial.tokens:,} tokens" if trial.tokens else ""]
    facts += [_dollars(trial.cost_usd)] if trial.cost_usd else []
    return Tried(
        title=f"{name}, for a turn of {registry.of(platform).agent_name}",
        lines=[line.removeprefix("- ") for line in trial.text.splitlines()],
        reason=trial.reason,
        facts=", ".join(fact for fact in facts if fact),
    )


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}" if amount >= Decimal("0.01") else f"${amount.normalize():f}"
