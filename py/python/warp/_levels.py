"""Levels of messages to the logger, as the standard library numbers them."""

from __future__ import annotations

LOG_DEBUG = 10
LOG_INFO = 20
LOG_WARNING = 30
LOG_ERROR = 40
