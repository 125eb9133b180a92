"""The fate of every code block of the documents: run, waiting for an issue, or only shown.

A block is named by document and line; the digest beside it says which text the row was written for.
`test_coverage.py` holds this table against the documents, so that no block is silently left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import checks, given
from . import checks_jax as jax
from .running import Ran
from .substitutions import TAPE_SUBSTITUTIONS, Substitution


@dataclass(frozen=True)
class Run:
    """Python that runs after the blocks it `needs`, with the names that `given` makes; `check` looks at the rest."""

    id: str
    digest: str
    check: Callable[[Ran], None]
    needs: tuple[str, ...] = ()
    extra: tuple[Substitution, ...] = ()
    given: Callable[[], dict[str, Any]] = dict


@dataclass(frozen=True)
class Command:
    """A shell command that runs; `check` looks at what it printed."""

    id: str
    digest: str
    check: Callable[[str], None]


@dataclass(frozen=True)
class Distributed:
    """A program for several processes; `check` looks at what the first one printed, with so many devices in all."""

    id: str
    digest: str
    check: Callable[[str, int], None]


@dataclass(frozen=True)
class Launched:
    """The shell command that starts such programs."""

    id: str
    digest: str


@dataclass(frozen=True)
class Waits:
    """Blocks that need what a later issue delivers; `rows` holds their ids and digests."""

    issue: int
    why: str
    rows: str


@dataclass(frozen=True)
class Shown:
    """Text that is not a program."""

    id: str
    digest: str
    why: str


RUNS = (
    # Document 000
    Run("000:12", "b0e3ddab1268", checks.saxpy_once),
    Run("000:29", "e34f9c590d40", checks.saxpy_once, needs=("000:12",)),
    Run("000:43", "513b6786bc9a", checks.saxpy_once, needs=("000:12",)),
    Run("000:66", "f017262f7ebc", checks.array_interface),
    Run("000:75", "a18e8fe0cb73", checks.dtype_conversion),
    Run("000:96", "c253a5f1b62c", checks.torch_round_trip),
    Run("000:126", "ce512d5e5718", checks.sum_of_squares),
    Run("000:166", "68446f9525a6", checks.sum_of_squares),
    Run("000:204", "36edfd0c90e5", checks.rosenbrock),
    Run("000:295", "67c454afb3bb", checks.saxpy_ten_times, needs=("000:12", "000:43")),
    Run("000:307", "ac9fc02d1255", checks.saxpy_ten_times, needs=("000:12", "000:43")),
    Run("000:320", "2b0bd9c32cfb", checks.saxpy_descriptors, needs=("000:12", "000:43")),
    Run("000:335", "c2032b6caddc", checks.saxpy_direct, needs=("000:12", "000:43")),
    Run("000:701", "7a5717798c44", checks.dlpack_import, given=given.external_array),
    Run("000:710", "764eba922ee2", checks.dlpack_export, given=given.one_array_of_each),
    Run("000:720", "b8e5076389bc", checks.dlpack_capsules, given=given.one_array_of_each),
    # Document 001
    Run("001:12", "b0e3ddab1268", checks.saxpy_once),
    Run("001:29", "e34f9c590d40", checks.saxpy_once, needs=("001:12",)),
    Run("001:43", "513b6786bc9a", checks.saxpy_once, needs=("001:12",)),
    Run("001:66", "f017262f7ebc", checks.array_interface),
    Run("001:75", "a18e8fe0cb73", checks.dtype_conversion),
    Run("001:95", "c253a5f1b62c", checks.torch_round_trip),
    Run("001:122", "ce512d5e5718", checks.sum_of_squares),
    Run("001:164", "68446f9525a6", checks.sum_of_squares),
    Run("001:204", "505e796f471e", checks.rosenbrock),
    Run("001:298", "a56f5e5b2147", checks.rosenbrock_operator),
    Run("001:409", "67c454afb3bb", checks.saxpy_ten_times, needs=("001:12", "001:43")),
    Run("001:421", "ac9fc02d1255", checks.saxpy_ten_times, needs=("001:12", "001:43")),
    Run("001:438", "2b0bd9c32cfb", checks.saxpy_descriptors, needs=("001:12", "001:43")),
    Run("001:457", "c2032b6caddc", checks.saxpy_direct, needs=("001:12", "001:43")),
    Run("001:507", "60233622379f", checks.case_study),
    Run("001:635", "6ef73b767f96", checks.squares, needs=("001:507",)),
    Run("001:683", "18850d99a4d5", checks.squares, needs=("001:507",)),
    Run("001:736", "ac57f8de177d", checks.squares, needs=("001:507",)),
    Run("001:785", "555c63f017b8", checks.squares, needs=("001:507",), extra=TAPE_SUBSTITUTIONS),
    Run("001:836", "b5b41884b575", checks.allocated_early, needs=("001:507", "001:736")),
    Run("001:1726", "7a5717798c44", checks.dlpack_import, given=given.external_array),
    Run("001:1735", "f718c19868d8", checks.dlpack_export, given=given.one_array_of_each),
    Run("001:1746", "ff7274e62604", checks.dlpack_capsules, given=given.one_array_of_each),
    Run("001:1770", "9b09043441b2", checks.paddle_round_trip),
    Run("001:1794", "221c0796da8b", checks.sum_of_squares),
    Run("001:1838", "20ffbc7b50d9", checks.sum_of_squares),
    Run("001:1880", "666331e202f4", checks.saxpy_ten_times, needs=("001:12", "001:43")),
    Run("001:1892", "d5cbc045f4ac", checks.saxpy_ten_times, needs=("001:12", "001:43")),
    Run("001:1908", "f91d3064b677", checks.saxpy_descriptors, needs=("001:12", "001:43")),
    Run("001:1927", "6264509958b6", checks.saxpy_direct, needs=("001:12", "001:43")),
    # Document 003
    Run("003:5", "c58566fc8274", checks.saxpy_once),
    Run("003:15", "35d8700dcc00", checks.saxpy_once, needs=("003:5",)),
    Run("003:22", "45d4098f6bff", checks.saxpy_once, needs=("003:5",)),
    Run("003:37", "f017262f7ebc", checks.array_interface),
    Run("003:42", "a18e8fe0cb73", checks.dtype_conversion),
    Run("003:68", "113747070bb8", checks.torch_round_trip),
    Run("003:133", "3ba5fd8caa68", checks.sum_of_squares),
    Run("003:162", "b2e5e8f15428", checks.sum_of_squares),
    Run("003:190", "52db9a9a1748", checks.rosenbrock),
    Run("003:258", "bbd7eea095e4", checks.rosenbrock_operator),
    Run("003:335", "b2dfb14ba694", checks.saxpy_ten_times, needs=("003:5", "003:22")),
    Run("003:342", "fedaf31805a9", checks.saxpy_ten_times, needs=("003:5", "003:22")),
    Run("003:353", "dcb60caa1540", checks.saxpy_descriptors, needs=("003:5", "003:22")),
    Run("003:366", "1b617f345c40", checks.saxpy_direct, needs=("003:5", "003:22")),
    Run("003:979", "7a5717798c44", checks.dlpack_import, given=given.external_array),
    Run("003:985", "f718c19868d8", checks.dlpack_export, given=given.one_array_of_each),
    Run("003:991", "33f31bf857d3", checks.dlpack_capsules, given=given.one_array_of_each),
    Run("003:1018", "7ea289b5b28b", checks.paddle_round_trip),
    Run("003:1083", "23f46e3694da", checks.sum_of_squares),
    Run("003:1116", "888d2e81ed4d", checks.sum_of_squares),
    Run("003:1146", "1de080074a18", checks.saxpy_ten_times, needs=("003:5", "003:22")),
    Run("003:1153", "be6582825d48", checks.saxpy_ten_times, needs=("003:5", "003:22")),
    Run("003:1163", "5684bebaece5", checks.saxpy_descriptors, needs=("003:5", "003:22")),
    Run("003:1176", "becca163f652", checks.saxpy_direct, needs=("003:5", "003:22")),
    # Document 004
    Run("004:16", "f017262f7ebc", checks.array_interface),
    Run("004:28", "5e6e03573ede", checks.torch_round_trip),
    Run("004:47", "5d2a164592f7", checks.sum_of_squares),
    Run("004:88", "c831aea6a4eb", checks.sum_of_squares),
    # JAX
    Run("000:371", "c100a3bb44e5", jax.round_trip, given=given.jax_names),
    Run("000:392", "cdcfcaaed3e6", jax.triple, given=given.jax_names),
    Run("000:426", "c1cda5980284", jax.sums_of_pairs, given=given.jax_names),
    Run("001:899", "c100a3bb44e5", jax.round_trip, given=given.jax_names),
    Run("001:913", "5921ff9760a7", jax.triple, given=given.jax_names),
    Run("001:946", "e5549ef88ee4", jax.add, given=given.jax_names),
    Run("001:972", "9103241adc24", jax.sincos, given=given.jax_names),
    Run("001:1003", "814cf8c1651f", jax.diagonal, given=given.jax_names),
    Run("001:1022", "ef5a4bfa2515", jax.scaled, given=given.jax_names),
    Run("001:1041", "8646df352ea4", jax.scaled_by_argument, needs=("001:1022",), given=given.jax_names),
    Run("001:1051", "4b8b40de1002", jax.scaled_by_argument, needs=("001:1022",), given=given.jax_names),
    Run("001:1071", "babb6f941494", jax.products, given=given.jax_names),
    Run("001:1117", "419574de9225", jax.funky, given=given.jax_names),
    Run("001:1128", "9492ef91ba65", jax.funky_shapes((10,), (10,)), needs=("001:1117",), given=given.jax_names),
    Run("001:1132", "c612cba3718f", jax.funky_shapes((10,), (7,)), needs=("001:1117",), given=given.jax_names),
    Run("001:1136", "39d09efdaf14", jax.funky_shapes((10,), (7,)), needs=("001:1117",), given=given.jax_names),
    Run("001:1150", "0024371e363c", jax.vectors, given=given.jax_names),
    Run("001:1179", "ed5b0e01d5b5", jax.vector_shapes, needs=("001:1150",), given=given.jax_names),
    Run("001:1187", "6927ee249ec5", jax.vector_shapes, needs=("001:1150",), given=given.jax_names),
    Run("001:1191", "fad60f8598e2", jax.vector_shapes, needs=("001:1150",), given=given.jax_names),
    Run("001:1206", "7878518ceeab", jax.vmap_methods, given=given.jax_names_and_a_kernel),
    Run("001:1222", "72613d7f57a2", jax.batched_add, given=given.jax_names),
    Run("001:1250", "424b746e2b6b", jax.rowsum_kernel, given=given.jax_names),
    Run("001:1259", "ae6393967fc7", jax.batched_rowsum, needs=("001:1250",), given=given.jax_names),
    Run("001:1283", "0075df3e1c23", jax.lookup_kernel, given=given.jax_names),
    Run("001:1292", "1a45c0f6bd49", jax.batched_lookup, needs=("001:1283",), given=given.jax_names),
    Run("001:1325", "6eb801ee1bff", jax.gradients, given=given.jax_names),
    Run("001:1362", "97a476f7b641", jax.gradients_of_two, given=given.jax_names),
    Run("001:1397", "72a38ef9912c", jax.gradients_of_vectors, given=given.jax_names),
    Run("002:7", "c100a3bb44e5", jax.round_trip, given=given.jax_names),
    Run("002:16", "a089f5ddcd01", jax.triple, given=given.jax_names),
    Run("002:44", "cf9902064943", jax.add, given=given.jax_names),
    Run("002:70", "f4aed34198f5", jax.sincos, given=given.jax_names),
    Run("002:100", "c2ff4046a917", jax.diagonal, given=given.jax_names),
    Run("002:118", "e6a7e84ef7f6", jax.scaled, given=given.jax_names),
    Run("002:137", "8646df352ea4", jax.scaled_by_argument, needs=("002:118",), given=given.jax_names),
    Run("002:147", "f0b53a0f3296", jax.scaled_by_argument, needs=("002:118",), given=given.jax_names),
    Run("002:164", "c1c13c65ad9e", jax.products, given=given.jax_names),
    Run("002:208", "2fd958136b7e", jax.funky, given=given.jax_names),
    Run("002:219", "9492ef91ba65", jax.funky_shapes((10,), (10,)), needs=("002:208",), given=given.jax_names),
    Run("002:223", "c612cba3718f", jax.funky_shapes((10,), (7,)), needs=("002:208",), given=given.jax_names),
    Run("002:227", "39d09efdaf14", jax.funky_shapes((10,), (7,)), needs=("002:208",), given=given.jax_names),
    Run("002:235", "3c71b9a151fc", jax.vectors, given=given.jax_names),
    Run("002:260", "ed5b0e01d5b5", jax.vector_shapes, needs=("002:235",), given=given.jax_names),
    Run("002:266", "6927ee249ec5", jax.vector_shapes, needs=("002:235",), given=given.jax_names),
    Run("002:270", "fad60f8598e2", jax.vector_shapes, needs=("002:235",), given=given.jax_names),
    Run("002:278", "7878518ceeab", jax.vmap_methods, given=given.jax_names_and_a_kernel),
    Run("002:291", "7b07730b4bec", jax.batched_add, given=given.jax_names),
    Run("002:315", "1378a17aed87", jax.rowsum_kernel, given=given.jax_names),
    Run("002:322", "3503df3eded4", jax.batched_rowsum, needs=("002:315",), given=given.jax_names),
    Run("002:343", "34d710ffebfb", jax.lookup_kernel, given=given.jax_names),
    Run("002:350", "553067782996", jax.batched_lookup, needs=("002:343",), given=given.jax_names),
    Run("002:380", "6f8e4026a2bb", jax.gradients, given=given.jax_names),
    Run("002:416", "abb9b4707b51", jax.gradients_of_two, given=given.jax_names),
    Run("002:451", "a87ae5170b30", jax.gradients_of_vectors, given=given.jax_names),
    Run("003:387", "c100a3bb44e5", jax.round_trip, given=given.jax_names),
    Run("003:437", "9b63c4e42393", jax.triple, given=given.jax_names),
    Run("003:468", "fd40c1eaf59c", jax.sums_of_pairs, given=given.jax_names),
    Run("003:504", "437aa88eb2b3", jax.product, given=given.jax_names),
    Run("003:542", "27d61d108960", jax.imported, given=given.jax_names),
    Run("003:574", "93b7405ef824", jax.add, given=given.jax_names),
    Run("003:593", "237544f51dbc", jax.sincos, given=given.jax_names),
    Run("003:615", "222c46cd2ac8", jax.diagonal, given=given.jax_names),
    Run("003:627", "cd99bbe3d037", jax.scaled, given=given.jax_names),
    Run("003:640", "fb4943f81440", jax.scaled_by_argument, needs=("003:627",), given=given.jax_names),
    Run("003:646", "5f2a31339d3a", jax.scaled_by_argument, needs=("003:627",), given=given.jax_names),
    Run("003:659", "ac3fe81257b1", jax.products, given=given.jax_names),
    Run("003:695", "c275f6344193", jax.funky, given=given.jax_names),
    Run("003:703", "9492ef91ba65", jax.funky_shapes((10,), (10,)), needs=("003:695",), given=given.jax_names),
    Run("003:705", "c612cba3718f", jax.funky_shapes((10,), (7,)), needs=("003:695",), given=given.jax_names),
    Run("003:707", "39d09efdaf14", jax.funky_shapes((10,), (7,)), needs=("003:695",), given=given.jax_names),
    Run("003:714", "f517db95cda3", jax.vectors, given=given.jax_names),
    Run("003:736", "44cbc25078c8", jax.vector_shapes, needs=("003:714",), given=given.jax_names),
    Run("003:740", "370f76302393", jax.vector_shapes, needs=("003:714",), given=given.jax_names),
    Run("003:742", "7f65166e4f47", jax.vector_shapes, needs=("003:714",), given=given.jax_names),
    Run("003:748", "2553524f7a7e", jax.vmap_methods, given=given.jax_names_and_a_kernel),
    Run("001:1508", "56ff4150f495", jax.callback_imported, given=given.jax_callback),
    Run("001:1512", "4fd99353b91c", jax.callback_called, given=given.jax_callback),
    Run("001:1525", "da252bf6059c", jax.callbacks, given=given.jax_callback),
    Run("002:550", "56ff4150f495", jax.callback_imported, given=given.jax_callback),
    Run("002:554", "4fd99353b91c", jax.callback_called, given=given.jax_callback),
    Run("002:568", "355d06cdcaeb", jax.callbacks, given=given.jax_callback),
    Run("003:833", "dab9f330cb8d", jax.callback_imported, given=given.jax_callback),
    Run("003:835", "4fd99353b91c", jax.callback_called, given=given.jax_callback),
    Run("003:844", "050b46ed18d1", jax.callbacks, given=given.jax_callback),
    Run("001:1438", "46be3a155830", jax.callables, given=given.jax_names),
    Run("002:489", "30a74ab5b954", jax.callables, given=given.jax_names),
    Run("003:762", "56c8f9693a8c", jax.callables, given=given.jax_names),
)

COMMANDS = (
    Command("000:343", "94ec1c9db397", checks.benchmark_lines),
    Command("001:465", "94ec1c9db397", checks.benchmark_lines),
    Command("001:1935", "a4230675127d", checks.paddle_benchmark_lines),
    Command("003:370", "94ec1c9db397", checks.benchmark_lines),
    Command("003:1180", "a4230675127d", checks.paddle_benchmark_lines),
)

DISTRIBUTED = (
    Distributed("000:473", "7abcf68b0cad", jax.begun),
    Distributed("000:482", "10f93b1807ea", jax.sharded_double),
    Distributed("000:586", "9c61501ce011", jax.sharded_product),
    Distributed("001:1605", "7abcf68b0cad", jax.begun),
    Distributed("001:1614", "10f93b1807ea", jax.sharded_double),
    Distributed("002:639", "7abcf68b0cad", jax.begun),
    Distributed("002:646", "115180d31cf4", jax.sharded_double),
    Distributed("003:897", "7abcf68b0cad", jax.begun),
    Distributed("003:901", "40956d1f432b", jax.sharded_double),
)

LAUNCHED = (
    Launched("000:576", "cafb00e1d275"),
    Launched("001:1713", "cafb00e1d275"),
    Launched("002:738", "cafb00e1d275"),
    Launched("003:975", "cafb00e1d275"),
)

WAITS: tuple[Waits, ...] = ()

SHOWN = (
    Shown("000:349", "aecfb09480f0", "sample output of the command above it"),
    Shown("001:471", "aecfb09480f0", "sample output of the command above it"),
    Shown("001:855", "e83647cfa93b", "timings of the case study on a GPU"),
    Shown("001:1941", "b6f90b893ba5", "sample output of the command above it"),
    Shown("003:372", "aecfb09480f0", "sample output of the command above it"),
    Shown("003:1182", "b6f90b893ba5", "sample output of the command above it"),
)


def planned() -> list[tuple[str, str]]:
    """Id and digest of every row of every table, in table order."""
    rows = [(row.id, row.digest) for row in (*RUNS, *COMMANDS, *DISTRIBUTED, *LAUNCHED, *SHOWN)]
    for waits in WAITS:
        words = waits.rows.replace("|", " ").split()
        rows += zip(words[::2], words[1::2], strict=True)
    return rows
