"""Loggers: which one is told a message, and from which level on."""

from __future__ import annotations

import io
import logging
import re
import threading
import time

import pytest
import warp as wp
from warp._host import logging as _logging

from randomized import random_kernels


class Collector:
    """Keeps what it is told."""

    def __init__(self):
        self.told = []

    def debug(self, message):
        self.told.append(("debug", message))

    def info(self, message):
        self.told.append(("info", message))

    def warning(self, message, category=None, stacklevel=1):
        self.told.append(("warning", message))

    def error(self, message):
        self.told.append(("error", message))


class WithoutError:
    debug = info = warning = Collector.info


@pytest.fixture(autouse=True)
def restore():
    yield
    wp.set_logger(None)
    wp.config.log_level = wp.LOG_INFO
    wp.config.use_logging = wp.config.verbose = wp.config.print_launches = wp.config.quiet = False


def test_levels():
    assert (wp.LOG_DEBUG, wp.LOG_INFO, wp.LOG_WARNING, wp.LOG_ERROR) == (10, 20, 30, 40)
    assert wp.config.log_level == wp.LOG_INFO


def test_the_first_logger_prints(capsys):
    logger = wp.get_logger()
    assert isinstance(logger, wp.Logger)
    logger.debug("a")
    logger.info("b")
    logger.warning("c")
    logger.warning("d", category=DeprecationWarning, stacklevel=2)
    logger.error("e")
    printed = capsys.readouterr()
    assert printed.out == "a\nb\n"
    assert printed.err == "Warp UserWarning: c\nWarp DeprecationWarning: d\nWarp Error: e\n"


def test_another_logger():
    first, own = wp.get_logger(), Collector()
    wp.set_logger(own)
    assert wp.get_logger() is own
    wp.set_logger(None)
    assert wp.get_logger() is first


def test_loggers_are_of_all_threads():
    own, seen = Collector(), []
    with wp.ScopedLogger(own):
        thread = threading.Thread(target=lambda: seen.append(wp.get_logger()))
        thread.start()
        thread.join()
    assert seen == [own]


def test_a_logger_of_a_block():
    first, outer, inner = wp.get_logger(), Collector(), Collector()
    scope = wp.ScopedLogger(inner)
    with wp.ScopedLogger(outer):
        with scope as entered, scope:
            assert wp.get_logger() is inner
            assert entered.logger is inner
        assert wp.get_logger() is outer
        with wp.ScopedLogger(None):
            assert wp.get_logger() is first
        assert wp.get_logger() is outer
    assert wp.get_logger() is first
    with pytest.raises(KeyError), wp.ScopedLogger(outer):
        raise KeyError
    assert wp.get_logger() is first


@pytest.mark.parametrize("logger", [3, "logger", WithoutError(), Collector], ids=["int", "str", "half of one", "class"])
def test_what_is_no_logger(logger):
    first = wp.get_logger()
    with pytest.raises(TypeError, match="with the methods debug, info, warning and error, not"):
        wp.set_logger(logger)
    with pytest.raises(TypeError, match="with the methods"):
        wp.ScopedLogger(logger)
    assert wp.get_logger() is first


def test_only_messages_from_the_level_on():
    own = Collector()
    every = [(wp.LOG_DEBUG, "debug"), (wp.LOG_INFO, "info"), (wp.LOG_WARNING, "warning"), (wp.LOG_ERROR, "error")]
    with wp.ScopedLogger(own):
        for least in (*[level for level, _ in every], 15, 100):
            own.told.clear()
            with wp.ScopedLogLevel(least):
                for level, _ in every:
                    _logging.log(level, str(level))
            assert own.told == [(name, str(level)) for level, name in every if level >= least]


def test_a_logger_of_pythons_own_module(caplog):
    with wp.ScopedLogger(logging.getLogger("of_a_test")), caplog.at_level(logging.DEBUG):
        for level in (wp.LOG_INFO, wp.LOG_WARNING, wp.LOG_ERROR):
            _logging.log(level, "message")
    assert [record.levelno for record in caplog.records] == [logging.INFO, logging.WARNING, logging.ERROR]


def test_a_level_of_a_block():
    with wp.ScopedLogLevel(wp.LOG_ERROR) as scope:
        assert wp.config.log_level == wp.LOG_ERROR
        with scope:
            assert wp.config.log_level == wp.LOG_ERROR
    assert wp.config.log_level == wp.LOG_INFO
    with pytest.raises(TypeError, match=r"wp.config.log_level is an int, such as wp.LOG_INFO, not 'loud'"):
        wp.ScopedLogLevel("loud").__enter__()
    assert wp.config.log_level == wp.LOG_INFO


@pytest.mark.parametrize("level", [None, "info", True, 2.0])
def test_levels_are_ints(level):
    with pytest.raises(TypeError, match=r"wp.config.log_level is an int"):
        wp.config.log_level = level


def test_what_verbose_reports_is_told_to_the_logger(monkeypatch):
    @wp.kernel
    def reported(x: wp.array(dtype=float)):
        x[wp.tid()] = 1.0

    @wp.kernel
    def silent(x: wp.array(dtype=float)):
        x[wp.tid()] = 2.0

    monkeypatch.setattr(wp.config, "verbose", True)
    collector = Collector()
    with wp.ScopedLogger(collector):
        wp.launch(reported, dim=1, inputs=[wp.zeros(1)])
        with wp.ScopedLogLevel(wp.LOG_WARNING):
            wp.launch(silent, dim=1, inputs=[wp.zeros(1)])
    assert [level for level, text in collector.told if "'reported'" in text] == ["info"]
    assert not [text for _, text in collector.told if "'silent'" in text]


@pytest.fixture
def records():
    """What the module `logging` is told."""
    wp.config.use_logging = True
    told = []
    logger, handler = logging.getLogger("warp"), logging.Handler()
    handler.emit = told.append
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield told
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_the_standard_logger(records, capsys):
    logger = wp.get_logger()
    assert isinstance(logger, wp.Logger)
    logger.debug("a")
    logger.info("b %s")
    logger.warning("c", category=DeprecationWarning, stacklevel=1)
    logger.warning("d")
    logger.error("e")
    assert [(r.name, r.levelname, r.getMessage()) for r in records] == [
        ("warp", "DEBUG", "a"),
        ("warp", "INFO", "b %s"),
        ("warp", "WARNING", "DeprecationWarning: c"),
        ("warp", "WARNING", "d"),
        ("warp", "ERROR", "e"),
    ]
    assert {r.filename for r in records} == {"test_logging.py"}
    assert len({r.lineno for r in records}) == 5
    assert capsys.readouterr() == ("", "")


def test_the_standard_logger_is_told_the_place_above(records):
    def outer():
        wp.get_logger().warning("x", stacklevel=2)

    outer()
    assert [record.funcName for record in records] == ["test_the_standard_logger_is_told_the_place_above"]


def test_what_is_compiled_and_launched_is_logged(records, capsys):
    def launch(value):
        @wp.kernel(module="unique")
        def logged(x: wp.array(dtype=float)):
            x[wp.tid()] = value

        wp.launch(logged, dim=1, inputs=[wp.zeros(1)])

    wp.config.verbose = wp.config.print_launches = True
    launch(1.25)
    messages = [record.getMessage() for record in records]
    assert any("kernel 'logged'" in message for message in messages)
    assert any(message.startswith("kernel: ") and "logged dim: " in message for message in messages)
    assert {record.filename for record in records} == {"test_logging.py"}
    records.clear()
    # `quiet` goes before `verbose`, and levels are asked first.
    wp.config.print_launches, wp.config.quiet = False, True
    launch(2.25)
    wp.config.quiet, wp.config.log_level = False, wp.LOG_WARNING
    launch(3.25)
    assert records == []
    assert capsys.readouterr().out == ""


def test_loggers_of_the_program_go_before_the_standard_one(records):
    own = Collector()
    with wp.ScopedLogger(own):
        _logging.log(20, "a")
    _logging.log(20, "b")
    wp.set_logger(own)
    _logging.log(20, "c")
    assert own.told == [("info", "a"), ("info", "c")]
    assert [record.getMessage() for record in records] == ["b"]


class Terminal(io.StringIO):
    """A stream that someone sits at."""

    def isatty(self):
        return True


def test_a_long_wait_is_told_to_whoever_waits(monkeypatch, capsys):
    _logging.long_wait("a")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    _logging.long_wait("b")
    wp.config.quiet = True
    _logging.long_wait("c")
    assert terminal.getvalue() == "Warp: b\n"


def test_a_long_wait_is_told_to_logging(caplog):
    wp.config.use_logging = True
    with caplog.at_level(logging.INFO, "warp"):
        _logging.long_wait("kernel 'k' compiled in 1234.00 ms")
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [("INFO", "kernel 'k' compiled in 1234.00 ms")]


def test_who_waits_over_a_second_for_a_compile_is_told(monkeypatch):
    """A kernel of 5,000 statements: over a second of compiling on any machine."""
    step = "    x = wp.sin(x) * {k}.5 + wp.exp(x - {k}.0)\n    x = wp.pow(x, 1.5) / {k}.25\n"
    steps = "".join(step.format(k=k) for k in range(2500))
    # No cache has it, whoever ran this before.
    text = f"def long(a: wp.array(dtype=float)):\n    x = a[0] + {time.time_ns() % 10_000_019}.0\n{steps}    a[0] = x\n"
    kernel = wp.kernel(random_kernels.compile_text(text, {"wp": wp}, "a long wait")["long"], module="unique")
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    wp.load_module(kernel.module)
    assert re.fullmatch(r"Warp: kernel 'long' compiled in \d{4,}\.\d\d ms\n", terminal.getvalue())
