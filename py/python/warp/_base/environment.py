"""What the texts of environment variables mean as settings."""

from __future__ import annotations

from typing import Any

from warp._base.constants import LOG_DEBUG, LOG_ERROR, LOG_INFO, LOG_WARNING, DeterministicMode

_TRUTH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_TRUTHS = "1 or 0 (true or false, yes or no, on or off)"
_UNCHECKED = ("launch_array_access_mode", "deterministic_max_records")
_LEVELS = {"debug": LOG_DEBUG, "info": LOG_INFO, "warning": LOG_WARNING, "error": LOG_ERROR}


def value_of(name: str, text: str, default: Any) -> tuple[Any, str | None]:
    """The value of a setting that a text says; what is expected instead, where it says none.

    Args:
        name: The setting.
        text: What the environment says.
        default: What the setting is without, which tells its type.
    """
    word = text.strip().lower()
    if name == "deterministic":
        modes = {mode.name.lower(): mode for mode in DeterministicMode}
        if word in modes:
            return modes[word], None
        return _TRUTH.get(word), None if word in _TRUTH else f"{_TRUTHS}, or {', '.join(modes)}"
    if isinstance(default, bool):
        return _TRUTH.get(word), None if word in _TRUTH else _TRUTHS
    if name == "log_level" and word in _LEVELS:
        return _LEVELS[word], None
    if name in ("kernel_cache_dir", "cpu_compiler_flags", "cuda_arch_suffix", "cuda_output"):
        return text, None
    if word == "none" and (default is None or name == "load_module_max_workers"):
        return None, None
    try:
        return int(word), None
    except ValueError:
        pass
    if isinstance(default, str):
        return word, None
    if name == "log_level":
        return text, f"an int, or {', '.join(_LEVELS)}"
    # What is expected of other numbers is for the check of the setting to say, if there is one.
    return text, "an int" if name in _UNCHECKED else None
