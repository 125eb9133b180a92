"""Where messages go: a logger that programs may replace, and the level from which on it is told them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Protocol, runtime_checkable

from warp import config
from warp._base.constants import LOG_DEBUG, LOG_ERROR, LOG_INFO, LOG_WARNING
from warp._base.scopes import taken_back


@runtime_checkable
class Logger(Protocol):
    """What takes messages: any object with these four methods, such as a logger of the module ``logging``."""

    def debug(self, message: str) -> None:
        """Take a message of level ``LOG_DEBUG``."""

    def info(self, message: str) -> None:
        """Take a message of level ``LOG_INFO``."""

    def warning(self, message: str, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
        """Take a message of level ``LOG_WARNING``.

        Args:
            message: The text.
            category: The kind of warning; ``UserWarning``, if None.
            stacklevel: How many calls up the place is that the warning is about.
        """

    def error(self, message: str) -> None:
        """Take a message of level ``LOG_ERROR``."""


class _Printer:
    """The logger that there is at first: it prints, warnings and errors to the standard error stream."""

    def debug(self, message: str) -> None:
        print(message)

    def info(self, message: str) -> None:
        print(message)

    def warning(self, message: str, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
        print(f"Warp {(category or UserWarning).__name__}: {message}", file=sys.stderr)

    def error(self, message: str) -> None:
        print(f"Warp Error: {message}", file=sys.stderr)


class _Standard:
    """The logger ``warp`` of the module ``logging``; records name the program's line, not one of this package."""

    def debug(self, message: str) -> None:
        self._tell(LOG_DEBUG, message)

    def info(self, message: str) -> None:
        self._tell(LOG_INFO, message)

    def warning(self, message: str, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
        text = message if category is None else f"{category.__name__}: {message}"
        self._tell(LOG_WARNING, text, stacklevel)

    def error(self, message: str) -> None:
        self._tell(LOG_ERROR, message)

    def _tell(self, level: int, message: str, stacklevel: int = 1) -> None:
        import logging  # only those who want it wait for its import

        above = 2  # to `logging` this function is the first
        frame = sys._getframe(1)
        while frame.f_back is not None and _is_ours(frame):
            above += 1
            frame = frame.f_back
        logging.getLogger("warp").log(level, "%s", message, stacklevel=above + stacklevel - 1)


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return name == "warp" or (name.startswith("warp.") and not name.startswith("warp.examples"))


_printer = _Printer()
_standard = _Standard()
_logger: Logger = _printer


def _checked(logger: Any) -> Logger:
    if logger is None:
        return _printer
    if isinstance(logger, Logger) and not isinstance(logger, type):
        return logger
    kind = f"the class {logger.__name__}" if isinstance(logger, type) else type(logger).__name__
    raise TypeError(f"a logger is an object with the methods debug, info, warning and error, not {kind}")


def get_logger() -> Logger:
    """The logger that is told messages."""
    return _standard if config.use_logging and _logger is _printer else _logger


def set_logger(logger: Logger | None) -> None:
    """Have another logger told messages, by all threads.

    Args:
        logger: The logger; None: the one that prints, or with ``wp.config.use_logging`` the logger ``warp`` of the
            module ``logging``.

    Raises:
        TypeError: ``logger`` lacks one of the methods of :class:`Logger`.
    """
    global _logger
    _logger = _checked(logger)


def log(level: int, message: str) -> None:
    """Tell the logger a message, if ``wp.config.log_level`` is not above its level."""
    if level < config.log_level:
        return
    logger = get_logger()
    if level >= LOG_ERROR:
        logger.error(message)
    elif level >= LOG_WARNING:
        logger.warning(message)
    elif level >= LOG_INFO:
        logger.info(message)
    else:
        logger.debug(message)


def long_wait(message: str) -> None:
    """Tell who waits what took long: the logger ``warp`` of ``logging``, if messages go there, or else a terminal.

    Output that goes to a file or to another program stays as it is.
    """
    if config.use_logging:
        log(LOG_INFO, message)
    elif not config.quiet and config.log_level <= LOG_INFO and sys.stderr is not None and sys.stderr.isatty():
        print(f"Warp: {message}", file=sys.stderr)


class ScopedLogger:
    """Has another logger told messages within a ``with`` block, by all threads.

    Args:
        logger: The logger; None: the one that prints.

    Raises:
        TypeError: ``logger`` lacks one of the methods of :class:`Logger`.
    """

    def __init__(self, logger: Logger | None) -> None:
        self.logger = _checked(logger)
        self._before: list[Logger] = []

    def __enter__(self) -> ScopedLogger:
        self._before.append(_logger)
        set_logger(self.logger)
        return self

    def __exit__(self, *exception: object) -> None:
        set_logger(taken_back(self, self._before))


class ScopedLogLevel:
    """Sets ``wp.config.log_level`` within a ``with`` block.

    Args:
        log_level: The level: ``LOG_DEBUG``, ``LOG_INFO``, ``LOG_WARNING``, ``LOG_ERROR`` or another int.

    Raises:
        TypeError: The level is no int.
    """

    def __init__(self, log_level: int) -> None:
        self.log_level = log_level
        self._before: list[int] = []

    def __enter__(self) -> ScopedLogLevel:
        before = config.log_level
        config.log_level = self.log_level
        self._before.append(before)
        return self

    def __exit__(self, *exception: object) -> None:
        config.log_level = taken_back(self, self._before)
