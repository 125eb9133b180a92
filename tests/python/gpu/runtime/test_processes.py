"""What ends a device, or a process, or comes with another driver: each in a process of its own."""

from __future__ import annotations

import pytest
import warp as wp

from gpu.support.processes import run, succeeds

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")


def test_out_of_memory_says_how_much_is_free():
    succeeds(
        """
        a = wp.zeros(1000, dtype=float)
        for make in (lambda: wp.zeros(300_000, dtype=float), lambda: wp.empty((1000, 1000), dtype=wp.float64)):
            try:
                make()
            except MemoryError as e:
                assert "bytes on cuda:0" in str(e) and "of its 1048576 bytes are free" in str(e), e
            else:
                raise AssertionError("there is not so much")
        # What fits still comes.
        wp.launch(double, dim=1000, inputs=[a])
        b = wp.zeros(200_000, dtype=float)
        del b
        wp.synchronize()
        wp.zeros(200_000, dtype=float)
        """,
        MEMORY=1 << 20,
    )


def test_no_memory_for_a_gradients_stacks_is_a_memory_error():
    succeeds(
        """
        @wp.kernel
        def iterate(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
            i = wp.tid()
            v = x[i]
            for k in range(n):
                v = wp.sin(v) + float(k)
            out[i] = v

        x = wp.zeros(64, dtype=float, requires_grad=True)
        out = wp.zeros(64, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(iterate, dim=64, inputs=[x, 5, out])
        seed = wp.ones(64, dtype=float)
        rest = wp.zeros((wp.get_device().free_memory - 100_000) // 4, dtype=float)
        try:
            tape.backward(grads={out: seed})
        except MemoryError as e:
            assert "iterate" in str(e) and "bytes are free" in str(e), e
        else:
            raise AssertionError("there is no room")
        del rest
        tape.backward(grads={out: seed})
        wp.synchronize()
        """,
        MEMORY=64 << 20,
    )


@pytest.mark.parametrize("seed", range(4))
def test_memory_goes_back_behind_all_streams(seed):
    # In lazy order nobody waits for what gives memory back, in eager order all is done by then: only chance shows it.
    succeeds(
        """
        sums = {wp.Stream(): wp.zeros(64, dtype=float) for _ in range(2)}
        for n in range(30):
            x = wp.full(64, float(n), dtype=float)
            for stream, out in sums.items():
                stream.wait_stream(wp.get_stream())
                wp.launch(add, dim=64, inputs=[x, out], stream=stream)
            del x
        wp.synchronize()
        for out in sums.values():
            assert out.list() == [float(sum(range(30)))] * 64
        """,
        ORDER="random",
        SEED=seed,
    )


AFTER = """
def fails(call):
    try:
        call()
    except RuntimeError as e:
        assert "CUDA_ERROR_ILLEGAL_ADDRESS" in str(e), e
        assert "nothing more runs on the device in this process" in str(e), e
    else:
        raise AssertionError("the error is lost")

fails(wp.synchronize)
fails(wp.synchronize)
fails(lambda: wp.zeros(3, dtype=float))
fails(lambda: wp.launch(double, dim=3, inputs=[good]))
fails(good.numpy)
fails(lambda: wp.Stream())
fails(lambda: wp.copy(good, good[::-1]))
with wp.ScopedDevice("cpu"):
    x = wp.ones(3, dtype=float)
    wp.launch(double, dim=3, inputs=[x])
    assert x.list() == [2.0] * 3, "the CPU goes on"
print("end")
"""


def test_a_pointer_to_nothing():
    out = succeeds(
        """
        good = wp.zeros(3, dtype=float)
        bad = wp.array(ptr=0x7ffff0000, dtype=float, shape=3, device="cuda:0")
        wp.launch(double, dim=3, inputs=[bad])
        """
        + AFTER.replace("\n", "\n        ")
    )
    assert out.endswith("end\n")


def test_memory_that_was_freed_behind_our_back(double):
    # A GPU gives memory back in large pieces, so that it may still be there.
    out = succeeds(
        """
        good = wp.zeros(3, dtype=float)
        driver.enter()
        address = driver.allocate(12)
        gone = wp.array(ptr=address, dtype=float, shape=3, device="cuda:0")
        gone.fill_(1.0)
        assert gone.list() == [1.0] * 3
        driver.free(address)
        wp.launch(double, dim=3, inputs=[gone])
        """
        + AFTER.replace("\n", "\n        ")
    )
    assert out.endswith("end\n")


def test_the_other_device_goes_on_after_a_fault():
    succeeds(
        """
        good = wp.ones(3, dtype=float, device="cuda:1")
        bad = wp.array(ptr=0x7ffff0000, dtype=float, shape=3, device="cuda:0")
        wp.launch(double, dim=3, inputs=[bad], device="cuda:0")
        try:
            wp.synchronize_device("cuda:0")
        except RuntimeError as e:
            pass
        wp.launch(double, dim=3, inputs=[good], device="cuda:1")
        assert good.list() == [2.0] * 3
        """,
        DEVICES=2,
    )


def test_children_of_fork_are_told():
    out = succeeds(
        """
        x = wp.ones(3, dtype=float)
        wp.launch(double, dim=3, inputs=[x])
        wp.synchronize()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            for call in (
                lambda: wp.launch(double, dim=3, inputs=[x]), x.numpy, wp.synchronize, lambda: wp.zeros(3), wp.Stream
            ):
                try:
                    call()
                except RuntimeError as e:
                    assert "this process was forked after CUDA had started in its parent" in str(e), e
                else:
                    raise AssertionError("CUDA works in a child?")
            y = wp.ones(3, dtype=float, device="cpu")
            wp.launch(double, dim=3, inputs=[y], device="cpu")
            assert y.list() == [2.0] * 3
            del x
            print("child", flush=True)
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert x.list() == [2.0] * 3
        print("parent")
        """
    )
    assert out.split() == ["child", "parent"]


def test_a_process_that_forks_before_cuda_starts():
    succeeds(
        """
        child = os.fork()
        if child == 0:
            x = wp.ones(3, dtype=float, device="cuda:0")
            wp.launch(double, dim=3, inputs=[x], device="cuda:0")
            assert x.list() == [2.0] * 3
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """
    )


def test_a_driver_that_is_older_than_our_ptx():
    succeeds(
        """
        x = wp.zeros(3, dtype=float)
        for _ in range(2):
            try:
                wp.launch(double, dim=3, inputs=[x])
            except RuntimeError as e:
                assert "the CUDA driver, of version 12.4, is too old" in str(e), e
                assert "install a newer driver" in str(e), e
            else:
                raise AssertionError("PTX 6.0")
        assert x.list() == [0.0] * 3
        """,
        PTX=60,
    )


def test_a_gpu_that_is_older_than_our_ptx():
    succeeds(
        """
        x = wp.zeros(3, dtype=float)
        try:
            wp.launch(double, dim=3, inputs=[x])
        except RuntimeError as e:
            assert "compute capability 7.0; kernels need 7.5 or more" in str(e), e
        else:
            raise AssertionError("sm_70")
        """,
        SM=70,
    )


@pytest.mark.parametrize("sm", [75, 80, 86, 89, 90, 100, 121])
def test_every_gpu_that_is_supported(sm):
    succeeds(
        f"""
        assert wp.get_device().arch == {sm}
        x = wp.ones(3, dtype=float)
        wp.launch(double, dim=3, inputs=[x])
        assert x.list() == [2.0] * 3
        """,
        SM=sm,
    )


def test_no_devices():
    succeeds(
        """
        assert not wp.is_cuda_available()
        assert [str(d) for d in wp.get_devices()] == ["cpu"]
        assert wp.get_device() == "cpu"
        try:
            wp.zeros(3, device="cuda:0")
        except ValueError as e:
            assert "cuda:0" in str(e)
        """,
        DEVICES=0,
    )


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "import threading; wp.kept = x; del x"])
def test_a_process_ends_with_work_under_way(end):
    done = run(
        f"""
        x = wp.ones(3, dtype=float)
        s = wp.Stream()
        s.wait_stream(wp.get_stream())
        wp.launch(double, dim=3, inputs=[x], stream=s)
        {end}
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fault_that_nobody_waited_for_does_not_hinder_the_end():
    done = run(
        """
        x = wp.ones(3, dtype=float)
        wp.launch(beyond, dim=3, inputs=[x, 100])
        """
    )
    assert done.returncode == 0


def test_devices_without_access_to_each_other():
    succeeds(
        """
        a = wp.array(np.arange(6.0), dtype=wp.float64, device="cuda:0")
        b = wp.clone(a[::2], device="cuda:1")
        assert b.list() == [0.0, 2.0, 4.0]
        """,
        DEVICES=2,
        PEER=0,
    )
