# Everything a fresh Debian 12+ or Ubuntu 24.04+ machine with Rust, Python 3.11+ and gcc needs, in one command each.
# Stamp files under target/stamps keep a second run from doing anything again that is still current.

VENV := .venv
BIN := $(VENV)/bin
STAMPS := target/stamps
WHEELS := target/wheels
CARGO ?= cargo
# The Python that the virtual environment is made from; scripts/setup.sh looks for one where this is not set.
PYTHON ?=
# PEER=/path/to/python lets `make bench` run each benchmark under that interpreter's `warp` too, in turns.
PEER ?=
# Processes that share the Python tests.
WORKERS ?= 2
BENCHMARKS := benchmark_conversions benchmark_interop_torch benchmark_interop_paddle benchmark_launches \
	benchmark_torch_operators benchmark_jax benchmark_native benchmark_bounds benchmark_guards benchmark_compile benchmark_cloth \
	benchmark_examples benchmark_geometry benchmark_programs benchmark_tapes benchmark_processes benchmark_gpu

# One interpreter for every build of the PyO3 crates, so that lint, test and wheel share what they have compiled.
export PYO3_PYTHON := $(abspath $(BIN)/python)

RUST_FILES := Cargo.toml Cargo.lock $(shell find warp-* py \( -name '*.rs' -o -name '*.toml' -o -name '*.ll' \) -print)
PYTHON_FILES := $(shell find py/python -name __pycache__ -prune -o -type f ! -name '*.so' -print)

.PHONY: help setup build sdist demo test test-rust test-python ptx-driver test-ptx-driver test-levels test-gpu gpu-bundle test-jax-oldest test-numpy-oldest test-processes test-torch-versions test-bare-roots wheel-aarch64 test-aarch64 third-party lint format bench compare-peer compare-checkers soak fuzz asan asan-extension \
	tsan loom miri valgrind docs clean

help:
	@echo 'make demo       run the main example: three optimisations on torch tensors, and demo.png'
	@echo 'make test       every test, Rust and Python'
	@echo 'make test-ptx-driver  the tests of GPUs, on a driver that runs PTX on the CPU'
	@echo 'make test-levels  the tests of compiled code for x86-64, x86-64-v2 and x86-64-v3; LEVELS="x86-64-v3" names some'
	@echo 'make test-gpu   the tests that need an NVIDIA GPU, of the installed package; TESTS=FILES selects some'
	@echo 'make gpu-bundle  a folder of 40 MB for a machine with a GPU and no network: its run.sh takes 8 minutes'
	@echo 'make test-jax-oldest  the tests of jax with the oldest version that is supported'
	@echo 'make test-numpy-oldest  the tests of arrays with the oldest NumPy that is supported'
	@echo 'make test-processes  the programs of docs/processes.md in two processes each, with MPI, Dask and Ray'
	@echo 'make test-torch-versions  the tests of torch with other versions of it; TORCH="2.14.1" names them'
	@echo 'make test-bare-roots  the wheel and docs/first-hour.md in root file systems with nothing but Python; SUITES="bookworm" names some'
	@echo 'make wheel-aarch64  a wheel for aarch64, cross-built on Debian 12'
	@echo 'make test-aarch64  unit tests of the core, launches, tapes and lanes in qemu-user; PARTS="core crate python" compiles more kernels'
	@echo 'make third-party  the tests of packages that are written with Warp; PACKAGES="newton gswarp" FILES=TEXT choose some'
	@echo 'make lint       rustfmt, clippy (with each framework alone, too), rustdoc, ruff and mypy, with warnings as errors'
	@echo 'make format     format the sources with rustfmt and ruff'
	@echo 'make bench      the benchmarks; PEER=PYTHON compares with that interpreter'\''s warp'
	@echo 'make compare-peer  programs of tests/compare under this package and PEER=PYTHON'\''s warp, and what differs'
	@echo 'make compare-checkers  what mypy and basedpyright say of the same programs with both packages'
	@echo 'make soak       the long robustness tests'
	@echo 'make fuzz       the parsers and DLPack import on made-up input; FUZZ_SECONDS=300 for each target'
	@echo 'make asan       Rust tests of warp-core and warp-dlpack under AddressSanitizer'
	@echo 'make asan-extension  the extension under Python under AddressSanitizer: the tests of arrays and conversions'
	@echo 'make tsan       the tests of shared state under ThreadSanitizer'
	@echo 'make loom       the pool, interruptible and range locks, waiting deleters and the fork guard in every order of steps'
	@echo 'make miri       the unit tests of arrays and interop under Miri'
	@echo 'make valgrind   the extension under Python: the tests of NumPy arrays under memcheck'
	@echo 'make sdist      the source distribution, and a wheel that is built of it'
	@echo 'make docs       the documentation as a site, with the API from docstrings: target/site/index.html'
	@echo 'make build      only the wheel, installed into $(VENV)'
	@echo 'make clean      remove what was built; keeps $(VENV)'

$(STAMPS)/system: scripts/setup.sh
	PYTHON='$(PYTHON)' scripts/setup.sh system
	@mkdir -p $(@D) && touch $@

$(STAMPS)/venv: scripts/setup.sh requirements.txt | $(STAMPS)/system
	PYTHON='$(PYTHON)' scripts/setup.sh venv $(VENV)
	@mkdir -p $(@D) && touch $@

# The virtual environment may be deleted on its own: then its stamp no longer counts.
ifeq ($(wildcard $(BIN)/python),)
.PHONY: $(STAMPS)/venv
endif

setup: $(STAMPS)/system $(STAMPS)/venv

$(STAMPS)/wheel: $(RUST_FILES) $(PYTHON_FILES) py/pyproject.toml py/glibc.c $(wildcard py/licenses/*) README.md LICENSE $(STAMPS)/venv
	rm -rf $(WHEELS)
	$(BIN)/maturin build --release --locked --manifest-path py/Cargo.toml --interpreter $(BIN)/python --out $(WHEELS)
	$(BIN)/python scripts/check_wheel.py $(WHEELS)/*.whl
	$(BIN)/python -m pip install --quiet --no-deps --no-index --force-reinstall $(WHEELS)/*.whl
	@touch $@

build: $(STAMPS)/wheel

# Built again from what it contains alone, as pip builds it: outside of the repository, where cargo does not find .cargo/config.toml.
sdist: setup
	rm -f $(WHEELS)/*.tar.gz && rm -rf target/sdist-wheel
	$(BIN)/maturin sdist --manifest-path py/Cargo.toml --out $(WHEELS)
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && tar xzf $(WHEELS)/*.tar.gz -C "$$folder" --strip-components=1 && \
		cd "$$folder" && CARGO_TARGET_DIR='$(abspath target)' '$(abspath $(BIN))/maturin' build --release --locked \
		--interpreter '$(abspath $(BIN))/python' --out '$(abspath target/sdist-wheel)'
	$(BIN)/python scripts/check_wheel.py target/sdist-wheel/*.whl

demo: build
	$(BIN)/python -m warp.examples.demo

test: test-rust test-python test-ptx-driver

test-rust: setup
	scripts/fetch_ptxas.sh $(BIN)/python
	$(CARGO) test --locked --workspace

test-python: build
	$(BIN)/python scripts/check_wheel.py $(WHEELS)/*.whl
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/python

# Built as one of its tests needs it, with the features that the whole workspace asks for: `cargo build -p ptx-driver` asks
# for fewer, and would compile once more what test-rust has compiled.
ptx-driver: setup
	$(CARGO) test --locked --workspace --no-run --test machine
	ln -f target/debug/deps/libptx_driver.so target/debug/libptx_driver.so

# The package on the driver that runs PTX on the CPU: work as late as possible, then at once. What one kernel computes does not
# depend on that: those tests run once here, and in both orders in `make soak`.
ONE_KERNEL = --ignore=tests/python/gpu/geometry --ignore=tests/python/gpu/kernels
PTX_DRIVER = WARP_CUDA_DRIVER='$(abspath target/debug/libptx_driver.so)' PTX_DRIVER_SEED=7
test-ptx-driver: build ptx-driver
	$(PTX_DRIVER) PTX_DRIVER_ORDER=lazy $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/python/gpu
	$(PTX_DRIVER) PTX_DRIVER_ORDER=eager $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/python/gpu $(ONE_KERNEL)

# Compiled code for processors with shorter vectors than this one has.
LEVELS ?=
test-levels: build
	CARGO='$(CARGO)' WORKERS='$(WORKERS)' $(BIN)/python scripts/test_levels.py $(LEVELS)

# Builds nothing, since machines with a GPU may lack what builds: `make build` before it, or a wheel that is installed. PYTHON
# names another interpreter than that of $(VENV).
test-gpu:
	$(or $(PYTHON),$(wildcard $(BIN)/python),python3) scripts/test_gpu.py $(TESTS)

# What a machine with a GPU, a bare Python 3.11 or 3.12 and no network needs for `scripts/test_gpu.py --short`.
gpu-bundle: build
	scripts/fetch_ptxas.sh $(BIN)/python
	scripts/gpu_bundle.sh $(BIN)/python $(WHEELS)/*.whl target/gpu-bundle

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	CARGO='$(CARGO)' $(BIN)/python scripts/check_features.py
	CARGO='$(CARGO)' $(BIN)/python scripts/licenses.py --check
	RUSTDOCFLAGS=-Dwarnings $(CARGO) doc --locked --no-deps --workspace
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --config-file py/pyproject.toml

format: setup
	$(CARGO) fmt --all
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: build
	for name in $(BENCHMARKS); do \
		case $$name in *_paddle) $(BIN)/python -c 'import importlib.util as u; exit(u.find_spec("paddle") is None)' || \
			{ echo "$$name: paddle is not installed"; continue; };; \
		*_gpu) test -n "$$WARP_CUDA_DRIVER$$(ldconfig -p | grep libcuda.so.1)" || \
			export WARP_CUDA_DRIVER='$(abspath $(firstword $(wildcard $(addprefix target/,release/libptx_driver.so debug/libptx_driver.so debug/deps/libptx_driver.so))))';; esac; \
		$(BIN)/python -m warp.examples.benchmarks.$$name $(if $(PEER),--peer $(PEER)) || exit; \
	done

# The site needs no network once it is built. mkdocs has an environment of its own.
$(STAMPS)/site-venv: scripts/site_requirements.txt | $(STAMPS)/venv
	$(BIN)/python -m venv --clear target/site-venv
	target/site-venv/bin/pip install --quiet --requirement scripts/site_requirements.txt
	@touch $@

docs: build $(STAMPS)/site-venv
	$(BIN)/python scripts/api_reference.py target/api
	NO_MKDOCS_2_WARNING=1 target/site-venv/bin/mkdocs build --quiet
	@echo 'target/site/index.html'

# Programs under both packages; CONTRIBUTING.md says what the counts mean. AREAS="arrays tape" runs those files alone.
AREAS ?=
compare-peer: build
	@test -n '$(PEER)' || { echo 'PEER=PYTHON names the interpreter to compare with'; exit 1; }
	$(BIN)/python tests/compare/compare.py '$(PEER)' $(AREAS:%=--area %)

# Alarms and mistakes found by mypy and basedpyright, with both packages. BASEDPYRIGHT names the program.
BASEDPYRIGHT ?= basedpyright
compare-checkers: setup
	@test -n '$(PEER)' || { echo 'PEER=PYTHON names the interpreter to compare with'; exit 1; }
	$(BIN)/python tests/compare/checkers.py '$(PEER)' '$(BASEDPYRIGHT)'

# The oldest jax that py/pyproject.toml allows, in an environment of its own.
test-jax-oldest: build
	scripts/test_jax_oldest.sh $(BIN)/python $(WHEELS)/*.whl

test-numpy-oldest: build
	scripts/test_numpy_oldest.sh $(BIN)/python $(WHEELS)/*.whl

test-processes: build
	scripts/test_processes.sh $(BIN)/python

# Versions of torch from the oldest that py/pyproject.toml allows on, or those that TORCH names.
test-torch-versions: build
	scripts/test_torch_versions.sh $(BIN)/python $(WHEELS)/*.whl $(TORCH)

# Debian 12 and 13, or the suites that SUITES names. As root: the roots are entered by chroot.
SUITES ?=
test-bare-roots: build
	scripts/bare_roots.sh $(BIN)/python $(WHEELS)/*manylinux*.whl $(SUITES)

# Nothing else builds or tests these. CONTRIBUTING.md says what is needed.
wheel-aarch64: setup
	scripts/aarch64.sh wheel $(BIN)/python

# `crate` is left out: it compiles hundreds of kernels in the emulator.
PARTS ?= core python
test-aarch64: wheel-aarch64
	scripts/aarch64.sh test $(BIN)/python $(PARTS)

# The tests that packages publish, and what they need; docs/third-party.md keeps what came of them.
PACKAGES ?=
FILES ?=
third-party: build
	$(BIN)/python scripts/third_party.py $(WHEELS)/*.whl $(PACKAGES) $(if $(FILES),--files '$(FILES)')

soak: build ptx-driver test-jax-oldest test-numpy-oldest test-processes
	WARP_SOAK=1 $(CARGO) test --locked --workspace
	WARP_SOAK=1 WARP_WRONG_USE=20000 $(BIN)/python -m pytest tests/python -m 'not gpu' -o timeout=7200
	for level in '' x86-64 x86-64-v2 x86-64-v3; do \
		WARP_CPU=$$level WARP_CHECK_CODE=1 $(BIN)/python -m pytest tests/python -m 'not gpu and not soak' -o timeout=7200 || exit; \
		WARP_CPU=$$level WARP_RANDOM_RARE=20000 $(BIN)/python -m pytest tests/python/randomized/rare/test_random_rare.py -o timeout=7200 || exit; \
	done
	WARP_INLINE=never $(BIN)/python -m pytest tests/python/gradients tests/python/randomized tests/python/compiled
	WARP_INLINE=never $(PTX_DRIVER) $(BIN)/python -m pytest tests/python/gpu
	rm -rf target/soak-cache
	WARP_SOAK=1 WARP_CACHE_PATH='$(abspath target/soak-cache)' $(PTX_DRIVER) $(BIN)/python -m pytest tests/python/gpu -o timeout=7200
	for sm in 75 80; do \
		WARP_CACHE_PATH='$(abspath target/soak-cache)' PTX_DRIVER_SM=$$sm PTX_DRIVER_ORDER=eager $(PTX_DRIVER) $(BIN)/python -m pytest tests/python/gpu || exit; \
	done
	scripts/fetch_ptxas.sh $(BIN)/python
	$(BIN)/python tests/python/gpu/calibration/assemble_all.py target/soak-cache

# Tools that look for bugs; CONTRIBUTING.md says what each needs, CHANGELOG.md what it found. fuzz, asan, asan-extension, tsan and
# miri need a nightly compiler.
FUZZ_SECONDS := 300
fuzz: setup
	CARGO='$(CARGO)' scripts/fuzz.sh $(FUZZ_SECONDS)

asan: setup
	CARGO='$(CARGO)' scripts/sanitize.sh address -p warp-core -p warp-dlpack -p tests --lib \
		--test lower --test builtins --test dlpack --test deleters

asan-extension: setup
	CARGO='$(CARGO)' scripts/asan_extension.sh $(BIN)/python

tsan: setup
	CARGO='$(CARGO)' scripts/sanitize.sh thread -p warp-core --lib --no-default-features -- pool cache interruptible_lock owner

loom: setup
	$(CARGO) test --locked -p warp-core --lib --no-default-features --features loom loom_

miri: setup
	CARGO='$(CARGO)' scripts/miri.sh

valgrind: setup
	scripts/valgrind.sh $(BIN)/python

clean:
	rm -rf target demo.png
