"""Devices and streams: a device given anywhere is honoured, or refused by name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp


@wp.kernel
def double(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = 2.0 * x[i]


#: A device with a number that no machine has.
ELSEWHERE = "cuda:65535"
GIVEN: dict[str, Callable[[wp.array], Any]] = {
    "array": lambda _: wp.array([1.0], device=ELSEWHERE),
    "array of NumPy's": lambda _: wp.array(np.ones(2, dtype=np.float32), copy=False, device=ELSEWHERE),
    "zeros": lambda _: wp.zeros(3, device=ELSEWHERE),
    "full": lambda _: wp.full(3, 1.0, device=ELSEWHERE),
    "ones_like": lambda a: wp.ones_like(a, device=ELSEWHERE),
    "clone": lambda a: wp.clone(a, device=ELSEWHERE),
    "a.clone": lambda a: a.clone(device=ELSEWHERE),
    "a.to": lambda a: a.to(ELSEWHERE),
    "from_numpy": lambda _: wp.from_numpy(np.ones(2, dtype=np.float32), device=ELSEWHERE),
    "from_dlpack": lambda _: wp.from_dlpack(np.ones(2, dtype=np.float32), device=ELSEWHERE),
    "launch": lambda a: wp.launch(double, dim=3, inputs=[a], device=ELSEWHERE),
    "adjoint": lambda a: wp.launch(double, dim=3, inputs=[a], device=ELSEWHERE, adjoint=True),
    "command": lambda a: wp.launch(double, dim=3, inputs=[a], device=ELSEWHERE, record_cmd=True),
    "set_device": lambda _: wp.set_device(ELSEWHERE),
    "ScopedDevice": lambda _: wp.ScopedDevice(ELSEWHERE),
    "Stream": lambda _: wp.Stream(ELSEWHERE),
}


@pytest.mark.parametrize("call", GIVEN.values(), ids=GIVEN)
def test_a_device_that_is_not_here_is_refused_by_name(call: Callable[[wp.array], Any]) -> None:
    a = wp.ones(3)
    with pytest.raises(ValueError, match=f'there is no device "{ELSEWHERE}"'):
        call(a)
    assert a.list() == [1.0, 1.0, 1.0], "nothing ran"
    assert str(wp.get_device()) == "cpu"


def test_what_is_here_stays_where_it_is() -> None:
    a = wp.ones(3)
    assert a.to("cpu") is a
    b = a.clone(device="cpu")
    assert b.ptr != a.ptr
    assert b.list() == a.list()
    assert wp.zeros_like(a, device="cpu").device == "cpu"


def test_the_current_device_is_that_of_the_scope_and_of_the_thread() -> None:
    before = wp.get_device()
    seen: list[str] = []

    def scoped() -> None:
        with wp.ScopedDevice("cpu") as device:
            assert wp.get_device() is device
            raise RuntimeError("left early")

    with pytest.raises(RuntimeError, match="left early"):
        scoped()
    assert wp.get_device() is before
    thread = threading.Thread(target=lambda: seen.append(str(wp.get_device())))
    thread.start()
    thread.join()
    assert seen == ["cpu"]


def test_streams_of_launches_and_copies() -> None:
    a, stream = wp.ones(3), wp.Stream("cpu")
    wp.launch(double, dim=3, inputs=[a], stream=stream)
    wp.launch(double, dim=3, inputs=[a], stream=stream, device="cpu")
    command = wp.launch(double, dim=3, inputs=[a], record_cmd=True)
    command.launch(stream=stream)
    assert a.list() == [8.0, 8.0, 8.0]
    wp.copy(a, wp.zeros(3), stream=stream)
    assert a.list() == [0.0, 0.0, 0.0]
    for call in (
        lambda: wp.launch(double, dim=3, inputs=[a], stream=3),
        lambda: command.launch(stream="cpu"),
        lambda: wp.copy(a, wp.ones(3), stream=object()),
    ):
        with pytest.raises(TypeError, match=r"stream is .*, expected a wp\.Stream or None"):
            call()
    assert a.list() == [0.0, 0.0, 0.0], "nothing ran"
