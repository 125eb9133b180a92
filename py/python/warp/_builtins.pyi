# Made from the table of builtins: `BLESS=1 cargo test -p tests --test builtins` writes it anew.

# The first overload that fits is meant; later ones may take more.
# mypy: disable-error-code="overload-overlap, overload-cannot-match"

from collections.abc import Iterator
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, overload

from warp._array import array
from warp._arrays.fabric import fabricarray, fabricarrayarray, indexedfabricarray, indexedfabricarrayarray
from warp._arrays.indexed import indexedarray
from warp._geometry.mesh import Mesh
from warp._geometry.queries import BvhQuery, HashGridQuery, MeshQuery, MeshQueryPoint, MeshQueryRay
from warp._geometry.texture import Texture1D, Texture2D, Texture3D
from warp._value_bases import Composite, Floating, Integer, Matrix, Quaternion, Transform, Vector
from warp._value_types import (
    bfloat16, float16, float64, int8, int16, int64, mat22bf, mat22d, mat22f, mat22h, mat33bf, mat33d, mat33f, mat33h,
    mat44bf, mat44d, mat44f, mat44h, quatbf, quatd, quatf, quath, spatial_matrixd, spatial_matrixf, spatial_matrixh,
    spatial_vectord, spatial_vectorf, spatial_vectorh, transformd, transformf, transformh, uint8, uint16, uint32, uint64,
    vec2bf, vec2d, vec2f, vec2h, vec3bf, vec3d, vec3f, vec3h, vec4bf, vec4d, vec4f, vec4h,
)

class _Threads(int):
    """The index of a thread: a number, or one for each dimension."""

    def __iter__(self) -> Iterator[int]: ...

_AnyFloat: TypeAlias = float | Floating
_AnyInt: TypeAlias = int | Integer
_AnyNumber: TypeAlias = float | Floating | Integer
_Others: TypeAlias = (
    indexedarray | fabricarray | fabricarrayarray | indexedfabricarray | indexedfabricarrayarray
)
_Condition: TypeAlias = _AnyNumber | array[Any, Any] | _Others
_Class = TypeVar("_Class")
_Element = TypeVar("_Element")
_EF = TypeVar("_EF", bound=_AnyFloat | Composite[Any, Any])
_EI = TypeVar("_EI", bound=_AnyInt | Composite[Any, Any])
_ES = TypeVar("_ES", bound=_AnyNumber | Composite[Any, Any])
_F = TypeVar("_F", float, float64, float16, bfloat16)
_I = TypeVar("_I", int, int64, int8, int16, uint8, uint16, uint32, uint64)
_M = TypeVar("_M", bound=int)
_Mat22F = TypeVar("_Mat22F", bound=Matrix[Any, Any, Literal[2], Literal[2]])
_Mat33F = TypeVar("_Mat33F", bound=Matrix[Any, Any, Literal[3], Literal[3]])
_Mat44F = TypeVar("_Mat44F", bound=Matrix[Any, Any, Literal[4], Literal[4]])
_MatMNF = TypeVar("_MatMNF", bound=Matrix[Any, Any, Any, Any])
_MatMNS = TypeVar("_MatMNS", bound=Matrix[Any, Any, Any, Any])
_N = TypeVar("_N", bound=int)
_QuatF = TypeVar("_QuatF", bound=Quaternion[Any, Any])
_S = TypeVar("_S", int, int64, int8, int16, uint8, uint16, uint32, uint64, float, float64, float16, bfloat16)
_TransformF = TypeVar("_TransformF", bound=Transform[Any, Any])
_Vec2float32 = TypeVar("_Vec2float32", bound=Vector[float, Any, Literal[2]])
_Vec3F = TypeVar("_Vec3F", bound=Vector[Any, Any, Literal[3]])
_Vec3S = TypeVar("_Vec3S", bound=Vector[Any, Any, Literal[3]])
_Vec3float32 = TypeVar("_Vec3float32", bound=Vector[float, Any, Literal[3]])
_Vec6F = TypeVar("_Vec6F", bound=Vector[Any, Any, Literal[6]])
_VecNF = TypeVar("_VecNF", bound=Vector[Any, Any, Any])
_VecNI = TypeVar("_VecNI", bound=Vector[Any, Any, Any])
_VecNS = TypeVar("_VecNS", bound=Vector[Any, Any, Any])

PI: float
pi: float
HALF_PI: float
half_pi: float
TAU: float
tau: float
E: float
e: float
PHI: float
phi: float
LN2: float
ln2: float
LN10: float
ln10: float
LOG2E: float
log2e: float
LOG10E: float
log10e: float
INF: float
inf: float
NAN: float
nan: float

def sin(x: _F) -> _F:
    """Sine of an angle in radians."""

def cos(x: _F) -> _F:
    """Cosine of an angle in radians."""

def tan(x: _F) -> _F:
    """Tangent of an angle in radians."""

def asin(x: _F) -> _F:
    """Inverse sine in radians; NaN outside [-1, 1]."""

def acos(x: _F) -> _F:
    """Inverse cosine in radians; NaN outside [-1, 1]."""

def atan(x: _F) -> _F:
    """Inverse tangent in radians."""

def atan2(y: _F, x: _F) -> _F:
    """Angle of the point (x, y) in radians, from -pi to pi; 0 at the origin."""

def sinh(x: _F) -> _F:
    """Hyperbolic sine."""

def cosh(x: _F) -> _F:
    """Hyperbolic cosine."""

def tanh(x: _F) -> _F:
    """Hyperbolic tangent."""

def exp(x: _F) -> _F:
    """Exponential function."""

def log(x: _F) -> _F:
    """Natural logarithm."""

def log2(x: _F) -> _F:
    """Logarithm to base 2."""

def log10(x: _F) -> _F:
    """Logarithm to base 10."""

def sqrt(x: _F) -> _F:
    """Square root; NaN below 0."""

def cbrt(x: _F) -> _F:
    """Cube root, negative for negative arguments."""

def pow(x: _F, y: _F) -> _F:
    """x to the power of y, as `x ** y`. The slope by y is 0 where x is not positive."""

def erf(x: _F) -> _F:
    """Error function."""

def erfc(x: _F) -> _F:
    """Complementary error function, 1 - erf(x)."""

def erfinv(x: _F) -> _F:
    """Inverse of the error function, on (-1, 1)."""

def erfcinv(x: _F) -> _F:
    """Inverse of the complementary error function, on (0, 2)."""

def floor(x: _F) -> _F:
    """Largest integer that is not above x. No gradient."""

def ceil(x: _F) -> _F:
    """Smallest integer that is not below x. No gradient."""

def trunc(x: _F) -> _F:
    """Integer part, towards 0. No gradient."""

def round(x: _F) -> _F:
    """Nearest integer, halves away from 0. No gradient."""

def rint(x: _F) -> _F:
    """Nearest integer, halves to the even one. No gradient."""

def copysign(x: _F, y: _F) -> _F:
    """x with the sign of y, also that of -0.0. The slope by y is 0."""

def bit_and(a: _EI, b: _EI) -> _EI:
    """Bits that are set in both, as `a & b`."""

def bit_or(a: _EI, b: _EI) -> _EI:
    """Bits that are set in either, as `a | b`."""

def bit_xor(a: _EI, b: _EI) -> _EI:
    """Bits that are set in one of the two, as `a ^ b`."""

def lshift(a: _EI, b: _EI) -> _EI:
    """a with its bits moved up by b, as `a << b`; 0 if b is negative or not below the width."""

def rshift(a: _EI, b: _EI) -> _EI:
    """a with its bits moved down by b, keeping the sign, as `a >> b`."""

def invert(a: _EI) -> _EI:
    """Every bit turned over, as `~a`."""

def frac(x: _F) -> _F:
    """What is left of x without its integer part, with the sign of x."""

def degrees(x: _F) -> _F:
    """Radians in degrees."""

def radians(x: _F) -> _F:
    """Degrees in radians."""

def isnan(a: _EF) -> bool:
    """Whether a, or any component of it, is NaN."""

def isinf(a: _EF) -> bool:
    """Whether a, or any component of it, is infinite."""

def isfinite(a: _EF) -> bool:
    """Whether a, or every component of it, is neither infinite nor NaN."""

def abs(x: _ES) -> _ES:
    """Absolute value of each component. The slope at 0 is 1."""

def sign(x: _ES) -> _ES:
    """-1 for each component below 0, else 1, also for NaN. No gradient."""

@overload
def min(a: _ES, b: _ES) -> _ES:
    """The smaller of two, by component for vectors; the smallest component of one vector; the smallest of several. NaN only if all are NaN. The gradient goes to the first of equals."""
@overload
def min(a: Vector[_S, Any, Any]) -> _S:
    """The smaller of two, by component for vectors; the smallest component of one vector; the smallest of several. NaN only if all are NaN. The gradient goes to the first of equals."""
@overload
def min(a: _S, b: _S, *more: _S) -> _S:
    """The smaller of two, by component for vectors; the smallest component of one vector; the smallest of several. NaN only if all are NaN. The gradient goes to the first of equals."""

@overload
def max(a: _ES, b: _ES) -> _ES:
    """The larger of two, by component for vectors; the largest component of one vector; the largest of several. NaN only if all are NaN. The gradient goes to the first of equals."""
@overload
def max(a: Vector[_S, Any, Any]) -> _S:
    """The larger of two, by component for vectors; the largest component of one vector; the largest of several. NaN only if all are NaN. The gradient goes to the first of equals."""
@overload
def max(a: _S, b: _S, *more: _S) -> _S:
    """The larger of two, by component for vectors; the largest component of one vector; the largest of several. NaN only if all are NaN. The gradient goes to the first of equals."""

def clamp(x: _S, low: _S, high: _S) -> _S:
    """x, but not below `low` and not above `high`; `high` where low > high, `low` where x is NaN."""

def step(x: _S) -> _S:
    """1 if x is below 0, else 0. No gradient."""

def nonzero(x: _S) -> _S:
    """0 if x is 0, else 1. No gradient."""

@overload
def where(cond: _Condition, value_if_true: _Element, value_if_false: _Element) -> _Element:
    """One of two values, structs or arrays. Both values are computed; use `if` where one of them must not be. An array as the condition is true unless None was passed for it."""
@overload
def where(cond: _Condition, value_if_true: Any, value_if_false: Any) -> Any:
    """One of two values, structs or arrays. Both values are computed; use `if` where one of them must not be. An array as the condition is true unless None was passed for it."""

def lerp(a: _EF, b: _EF, t: _AnyFloat) -> _EF:
    """Linear between a (t = 0) and b (t = 1), and beyond."""

def smoothstep(a: _F, b: _F, x: _F) -> _F:
    """0 up to a, 1 from b on, and a cubic without kinks between them."""

def bit_count(x: _AnyInt) -> int:
    """How many bits of x are set, in the width of its type: 32 of -1 as an int32."""

def cast(a: Any, dtype: type[_Class]) -> _Class:
    """The bits of a value as another type of the same size, such as float32 and uint32. Nothing is converted. No gradient."""

@overload
def unot(a: _Condition) -> bool:
    """Whether a is 0, or an array for which None was passed, as `not a`."""
@overload
def unot(a: array[Any, Any] | _Others) -> bool:
    """Whether a is 0, or an array for which None was passed, as `not a`."""

@overload
def dot(a: Vector[_S, Any, _N], b: Vector[_S, Any, _N]) -> _S:
    """Inner product of two vectors or quaternions."""
@overload
def dot(a: Quaternion[_F, Any], b: Quaternion[_F, Any]) -> _F:
    """Inner product of two vectors or quaternions."""

def ddot(a: Matrix[_S, Any, _M, _N], b: Matrix[_S, Any, _M, _N]) -> _S:
    """Sum of the products of the components of two matrices."""

def cross(a: _Vec3S, b: _Vec3S) -> _Vec3S:
    """Cross product of two vectors of 3."""

@overload
def length(a: Vector[_F, Any, Any]) -> _F:
    """Euclidean length of a vector or quaternion. The gradient at 0 is 0."""
@overload
def length(a: Quaternion[_F, Any]) -> _F:
    """Euclidean length of a vector or quaternion. The gradient at 0 is 0."""

@overload
def length_sq(a: Vector[_S, Any, Any]) -> _S:
    """Square of the length of a vector or quaternion."""
@overload
def length_sq(a: Quaternion[_F, Any]) -> _F:
    """Square of the length of a vector or quaternion."""

@overload
def normalize(a: _VecNF) -> _VecNF:
    """A vector or quaternion divided by its length. The vector 0 stays 0 and the quaternion 0 becomes the identity, both with gradient 0."""
@overload
def normalize(a: _QuatF) -> _QuatF:
    """A vector or quaternion divided by its length. The vector 0 stays 0 and the quaternion 0 becomes the identity, both with gradient 0."""

@overload
def norm_l1(v: Vector[_F, Any, Any]) -> _F:
    """Sum of the absolute values of the components of a vector, quaternion or transform."""
@overload
def norm_l1(v: Quaternion[_F, Any]) -> _F:
    """Sum of the absolute values of the components of a vector, quaternion or transform."""
@overload
def norm_l1(v: Transform[_F, Any]) -> _F:
    """Sum of the absolute values of the components of a vector, quaternion or transform."""

@overload
def norm_l2(v: Vector[_F, Any, Any]) -> _F:
    """Square root of the sum of the squares of the components of a vector, quaternion or transform."""
@overload
def norm_l2(v: Quaternion[_F, Any]) -> _F:
    """Square root of the sum of the squares of the components of a vector, quaternion or transform."""
@overload
def norm_l2(v: Transform[_F, Any]) -> _F:
    """Square root of the sum of the squares of the components of a vector, quaternion or transform."""

@overload
def norm_huber(v: Vector[_F, Any, Any], delta: _F = ...) -> _F:
    """Half the square of `norm_l2` where that is at most delta, and beyond it the straight continuation."""
@overload
def norm_huber(v: Quaternion[_F, Any], delta: _F = ...) -> _F:
    """Half the square of `norm_l2` where that is at most delta, and beyond it the straight continuation."""
@overload
def norm_huber(v: Transform[_F, Any], delta: _F = ...) -> _F:
    """Half the square of `norm_l2` where that is at most delta, and beyond it the straight continuation."""

@overload
def norm_pseudo_huber(v: Vector[_F, Any, Any], delta: _F = ...) -> _F:
    """`delta * sqrt(1 + |v|^2 / delta^2)`: smooth everywhere, like the length far from 0."""
@overload
def norm_pseudo_huber(v: Quaternion[_F, Any], delta: _F = ...) -> _F:
    """`delta * sqrt(1 + |v|^2 / delta^2)`: smooth everywhere, like the length far from 0."""
@overload
def norm_pseudo_huber(v: Transform[_F, Any], delta: _F = ...) -> _F:
    """`delta * sqrt(1 + |v|^2 / delta^2)`: smooth everywhere, like the length far from 0."""

@overload
def smooth_normalize(v: _VecNF, delta: _AnyFloat = ...) -> _VecNF:
    """A vector, quaternion or transform divided by `norm_pseudo_huber(v, delta)`: smooth also at 0."""
@overload
def smooth_normalize(v: _QuatF, delta: _AnyFloat = ...) -> _QuatF:
    """A vector, quaternion or transform divided by `norm_pseudo_huber(v, delta)`: smooth also at 0."""
@overload
def smooth_normalize(v: _TransformF, delta: _AnyFloat = ...) -> _TransformF:
    """A vector, quaternion or transform divided by `norm_pseudo_huber(v, delta)`: smooth also at 0."""

def cw_mul(a: _ES, b: _ES) -> _ES:
    """Product component by component."""

@overload
def cw_div(a: _EF, b: _EF) -> _EF:
    """Quotient component by component; of integers the whole part, towards 0, and 0 where b is 0."""
@overload
def cw_div(a: _EI, b: _EI) -> _EI:
    """Quotient component by component; of integers the whole part, towards 0, and 0 where b is 0."""

@overload
def outer(a: vec2f, b: vec2f) -> mat22f:
    """Matrix of the products of each component of a (rows) with each of b (columns)."""
@overload
def outer(a: vec3f, b: vec3f) -> mat33f: ...
@overload
def outer(a: vec4f, b: vec4f) -> mat44f: ...
@overload
def outer(a: vec2d, b: vec2d) -> mat22d: ...
@overload
def outer(a: vec3d, b: vec3d) -> mat33d: ...
@overload
def outer(a: vec4d, b: vec4d) -> mat44d: ...
@overload
def outer(a: vec2h, b: vec2h) -> mat22h: ...
@overload
def outer(a: vec3h, b: vec3h) -> mat33h: ...
@overload
def outer(a: vec4h, b: vec4h) -> mat44h: ...
@overload
def outer(a: vec2bf, b: vec2bf) -> mat22bf: ...
@overload
def outer(a: vec3bf, b: vec3bf) -> mat33bf: ...
@overload
def outer(a: vec4bf, b: vec4bf) -> mat44bf: ...
@overload
def outer(a: Vector[_S, Any, Any], b: Vector[_S, Any, Any]) -> Any: ...

@overload
def skew(vec: vec3f) -> mat33f:
    """The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`."""
@overload
def skew(vec: vec3d) -> mat33d:
    """The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`."""
@overload
def skew(vec: vec3h) -> mat33h:
    """The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`."""
@overload
def skew(vec: vec3bf) -> mat33bf:
    """The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`."""
@overload
def skew(vec: Vector[Any, Any, Literal[3]]) -> Any:
    """The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`."""

def argmin(a: Vector[Any, Any, Any]) -> uint32:
    """Index of the smallest component, the first of equals."""

def argmax(a: Vector[Any, Any, Any]) -> uint32:
    """Index of the largest component, the first of equals."""

def extract(a: _Element, *index: _AnyInt) -> Any:
    """A component, or a row of a matrix, as `a[i]` and `a[i, j]`."""

@overload
def vector(x: _S, *more: _S) -> Any:
    """A vector of the components given; of one number for all of them, of zeros, or of the components of another vector, converted to dtype. Without a length it has as many components as are given."""
@overload
def vector(*args: Any, length: Any = ..., dtype: Any = ...) -> Any:
    """A vector of the components given; of one number for all of them, of zeros, or of the components of another vector, converted to dtype. Without a length it has as many components as are given."""

@overload
def transpose(a: mat22f) -> mat22f:
    """Rows as columns."""
@overload
def transpose(a: mat33f) -> mat33f: ...
@overload
def transpose(a: mat44f) -> mat44f: ...
@overload
def transpose(a: mat22d) -> mat22d: ...
@overload
def transpose(a: mat33d) -> mat33d: ...
@overload
def transpose(a: mat44d) -> mat44d: ...
@overload
def transpose(a: mat22h) -> mat22h: ...
@overload
def transpose(a: mat33h) -> mat33h: ...
@overload
def transpose(a: mat44h) -> mat44h: ...
@overload
def transpose(a: mat22bf) -> mat22bf: ...
@overload
def transpose(a: mat33bf) -> mat33bf: ...
@overload
def transpose(a: mat44bf) -> mat44bf: ...
@overload
def transpose(a: Matrix[Any, Any, Any, Any]) -> Any: ...

@overload
def determinant(a: Matrix[_F, Any, Literal[2], Literal[2]]) -> _F:
    """Determinant of a square matrix of up to 4 rows."""
@overload
def determinant(a: Matrix[_F, Any, Literal[3], Literal[3]]) -> _F:
    """Determinant of a square matrix of up to 4 rows."""
@overload
def determinant(a: Matrix[_F, Any, Literal[4], Literal[4]]) -> _F:
    """Determinant of a square matrix of up to 4 rows."""

@overload
def inverse(a: _Mat22F) -> _Mat22F:
    """Inverse of a square matrix of up to 4 rows; all 0 where the determinant is 0."""
@overload
def inverse(a: _Mat33F) -> _Mat33F:
    """Inverse of a square matrix of up to 4 rows; all 0 where the determinant is 0."""
@overload
def inverse(a: _Mat44F) -> _Mat44F:
    """Inverse of a square matrix of up to 4 rows; all 0 where the determinant is 0."""

@overload
def inverse_approx(a: _Mat22F) -> _Mat22F:
    """As `inverse`; a device may compute it faster and less exactly."""
@overload
def inverse_approx(a: _Mat33F) -> _Mat33F:
    """As `inverse`; a device may compute it faster and less exactly."""
@overload
def inverse_approx(a: _Mat44F) -> _Mat44F:
    """As `inverse`; a device may compute it faster and less exactly."""

def trace(a: Matrix[_S, Any, _N, _N]) -> _S:
    """Sum of the diagonal of a square matrix."""

@overload
def diag(vec: vec2f) -> mat22f:
    """Square matrix with a vector on its diagonal and 0 elsewhere."""
@overload
def diag(vec: vec3f) -> mat33f: ...
@overload
def diag(vec: vec4f) -> mat44f: ...
@overload
def diag(vec: vec2d) -> mat22d: ...
@overload
def diag(vec: vec3d) -> mat33d: ...
@overload
def diag(vec: vec4d) -> mat44d: ...
@overload
def diag(vec: vec2h) -> mat22h: ...
@overload
def diag(vec: vec3h) -> mat33h: ...
@overload
def diag(vec: vec4h) -> mat44h: ...
@overload
def diag(vec: vec2bf) -> mat22bf: ...
@overload
def diag(vec: vec3bf) -> mat33bf: ...
@overload
def diag(vec: vec4bf) -> mat44bf: ...
@overload
def diag(vec: Vector[Any, Any, Any]) -> Any: ...

@overload
def get_diag(mat: mat22f) -> vec2f:
    """The diagonal of a square matrix."""
@overload
def get_diag(mat: mat33f) -> vec3f: ...
@overload
def get_diag(mat: mat44f) -> vec4f: ...
@overload
def get_diag(mat: mat22d) -> vec2d: ...
@overload
def get_diag(mat: mat33d) -> vec3d: ...
@overload
def get_diag(mat: mat44d) -> vec4d: ...
@overload
def get_diag(mat: mat22h) -> vec2h: ...
@overload
def get_diag(mat: mat33h) -> vec3h: ...
@overload
def get_diag(mat: mat44h) -> vec4h: ...
@overload
def get_diag(mat: mat22bf) -> vec2bf: ...
@overload
def get_diag(mat: mat33bf) -> vec3bf: ...
@overload
def get_diag(mat: mat44bf) -> vec4bf: ...
@overload
def get_diag(mat: Matrix[Any, Any, _N, _N]) -> Any: ...

def identity(n: int, dtype: type[Any] = ...) -> Any:
    """Square matrix with 1 on its diagonal and 0 elsewhere. The size must be known when compiling."""

def matrix(*args: Any, shape: Any = ..., dtype: Any = ...) -> Any:
    """A matrix of the components given, row by row; of one number for all of them, of zeros, or of the components of another matrix, converted to dtype."""

def matrix_from_rows(row: Vector[_S, Any, _N], *more: Vector[_S, Any, _N]) -> Any:
    """Matrix of the row vectors given."""

def matrix_from_cols(column: Vector[_S, Any, _M], *more: Vector[_S, Any, _M]) -> Any:
    """Matrix of the column vectors given."""

@overload
def svd2(A: mat22f) -> tuple[mat22f, vec2f, mat22f]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""
@overload
def svd2(A: mat22d) -> tuple[mat22d, vec2d, mat22d]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""
@overload
def svd2(A: mat22h) -> tuple[mat22h, vec2h, mat22h]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""
@overload
def svd2(A: mat22bf) -> tuple[mat22bf, vec2bf, mat22bf]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""
@overload
def svd2(A: _Mat22F) -> tuple[_Mat22F, Any, _Mat22F]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""
@overload
def svd2(A: Matrix[_F, Any, Literal[2], Literal[2]], U: Matrix[_F, Any, Literal[2], Literal[2]], sigma: Vector[_F, Any, Literal[2]], V: Matrix[_F, Any, Literal[2], Literal[2]]) -> None:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""

@overload
def svd3(A: mat33f) -> tuple[mat33f, vec3f, mat33f]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""
@overload
def svd3(A: mat33d) -> tuple[mat33d, vec3d, mat33d]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""
@overload
def svd3(A: mat33h) -> tuple[mat33h, vec3h, mat33h]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""
@overload
def svd3(A: mat33bf) -> tuple[mat33bf, vec3bf, mat33bf]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""
@overload
def svd3(A: _Mat33F) -> tuple[_Mat33F, Any, _Mat33F]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""
@overload
def svd3(A: Matrix[_F, Any, Literal[3], Literal[3]], U: Matrix[_F, Any, Literal[3], Literal[3]], sigma: Vector[_F, Any, Literal[3]], V: Matrix[_F, Any, Literal[3], Literal[3]]) -> None:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""

@overload
def qr3(A: _Mat33F) -> tuple[_Mat33F, _Mat33F]:
    """`A = Q R` of a 3 x 3 matrix: Q is a rotation, R an upper triangle whose first two diagonal components are not negative. With variables for the factors, these get them. The gradient needs the first two columns of A to be independent: where they are not, the components of the derivative that do not exist count as 0."""
@overload
def qr3(A: Matrix[_F, Any, Literal[3], Literal[3]], Q: Matrix[_F, Any, Literal[3], Literal[3]], R: Matrix[_F, Any, Literal[3], Literal[3]]) -> None:
    """`A = Q R` of a 3 x 3 matrix: Q is a rotation, R an upper triangle whose first two diagonal components are not negative. With variables for the factors, these get them. The gradient needs the first two columns of A to be independent: where they are not, the components of the derivative that do not exist count as 0."""

@overload
def eig3(A: mat33f) -> tuple[mat33f, vec3f]:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""
@overload
def eig3(A: mat33d) -> tuple[mat33d, vec3d]:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""
@overload
def eig3(A: mat33h) -> tuple[mat33h, vec3h]:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""
@overload
def eig3(A: mat33bf) -> tuple[mat33bf, vec3bf]:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""
@overload
def eig3(A: _Mat33F) -> tuple[_Mat33F, Any]:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""
@overload
def eig3(A: Matrix[_F, Any, Literal[3], Literal[3]], Q: Matrix[_F, Any, Literal[3], Literal[3]], d: Vector[_F, Any, Literal[3]]) -> None:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""

@overload
def quaternion(x: float, y: float, z: float, w: float) -> quatf:
    """A quaternion of its components, of its vector and scalar parts, of zeros, or of the components of another one, converted to dtype."""
@overload
def quaternion(x: float64, y: float64, z: float64, w: float64) -> quatd: ...
@overload
def quaternion(x: float16, y: float16, z: float16, w: float16) -> quath: ...
@overload
def quaternion(x: bfloat16, y: bfloat16, z: bfloat16, w: bfloat16) -> quatbf: ...
@overload
def quaternion(x: _F, y: _F, z: _F, w: _F, dtype: Any = ...) -> Any: ...
@overload
def quaternion(ijk: vec3f, real: float) -> quatf: ...
@overload
def quaternion(ijk: vec3d, real: float64) -> quatd: ...
@overload
def quaternion(ijk: vec3h, real: float16) -> quath: ...
@overload
def quaternion(ijk: vec3bf, real: bfloat16) -> quatbf: ...
@overload
def quaternion(ijk: Vector[_F, Any, Literal[3]], real: _F, dtype: Any = ...) -> Any: ...
@overload
def quaternion(quat: Quaternion[_F, Any], dtype: Any = ...) -> Any: ...
@overload
def quaternion() -> quatf: ...
@overload
def quaternion(dtype: Any = ...) -> Any: ...

@overload
def quat_identity() -> quatf:
    """The quaternion (0, 0, 0, 1), which rotates nothing."""
@overload
def quat_identity(dtype: type[Any] = ...) -> Any:
    """The quaternion (0, 0, 0, 1), which rotates nothing."""

@overload
def quat_from_axis_angle(axis: vec3f, angle: float) -> quatf:
    """Rotation about an axis, which must have length 1, by an angle in radians."""
@overload
def quat_from_axis_angle(axis: vec3d, angle: float64) -> quatd:
    """Rotation about an axis, which must have length 1, by an angle in radians."""
@overload
def quat_from_axis_angle(axis: vec3h, angle: float16) -> quath:
    """Rotation about an axis, which must have length 1, by an angle in radians."""
@overload
def quat_from_axis_angle(axis: vec3bf, angle: bfloat16) -> quatbf:
    """Rotation about an axis, which must have length 1, by an angle in radians."""
@overload
def quat_from_axis_angle(axis: Vector[_F, Any, Literal[3]], angle: _F) -> Any:
    """Rotation about an axis, which must have length 1, by an angle in radians."""

@overload
def quat_to_axis_angle(quat: quatf) -> tuple[vec3f, float]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""
@overload
def quat_to_axis_angle(quat: quatd) -> tuple[vec3d, float64]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""
@overload
def quat_to_axis_angle(quat: quath) -> tuple[vec3h, float16]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""
@overload
def quat_to_axis_angle(quat: quatbf) -> tuple[vec3bf, bfloat16]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""
@overload
def quat_to_axis_angle(quat: Quaternion[_F, Any]) -> tuple[Any, _F]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""
@overload
def quat_to_axis_angle(quat: Quaternion[_F, Any], axis: Vector[_F, Any, Literal[3]], angle: _F) -> None:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""

@overload
def quat_from_matrix(mat: mat33f) -> quatf:
    """Unit quaternion of a rotation matrix, or of the first three rows and columns of a transformation."""
@overload
def quat_from_matrix(mat: mat33d) -> quatd: ...
@overload
def quat_from_matrix(mat: mat33h) -> quath: ...
@overload
def quat_from_matrix(mat: mat33bf) -> quatbf: ...
@overload
def quat_from_matrix(mat: Matrix[Any, Any, Literal[3], Literal[3]]) -> Any: ...
@overload
def quat_from_matrix(mat: mat44f) -> quatf: ...
@overload
def quat_from_matrix(mat: mat44d) -> quatd: ...
@overload
def quat_from_matrix(mat: mat44h) -> quath: ...
@overload
def quat_from_matrix(mat: mat44bf) -> quatbf: ...
@overload
def quat_from_matrix(mat: Matrix[Any, Any, Literal[4], Literal[4]]) -> Any: ...

@overload
def quat_to_matrix(quat: quatf) -> mat33f:
    """Matrix that rotates column vectors as the quaternion does."""
@overload
def quat_to_matrix(quat: quatd) -> mat33d:
    """Matrix that rotates column vectors as the quaternion does."""
@overload
def quat_to_matrix(quat: quath) -> mat33h:
    """Matrix that rotates column vectors as the quaternion does."""
@overload
def quat_to_matrix(quat: quatbf) -> mat33bf:
    """Matrix that rotates column vectors as the quaternion does."""
@overload
def quat_to_matrix(quat: Quaternion[Any, Any]) -> Any:
    """Matrix that rotates column vectors as the quaternion does."""

def quat_rotate(quat: Quaternion[Any, Any], vec: _Vec3F) -> _Vec3F:
    """A vector rotated by a unit quaternion."""

def quat_rotate_inv(quat: Quaternion[Any, Any], vec: _Vec3F) -> _Vec3F:
    """A vector rotated by the inverse of a unit quaternion."""

def quat_inverse(quat: _QuatF) -> _QuatF:
    """The opposite rotation of a unit quaternion: its vector part with the other sign."""

@overload
def quat_rpy(roll: float, pitch: float, yaw: float) -> quatf:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""
@overload
def quat_rpy(roll: float64, pitch: float64, yaw: float64) -> quatd:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""
@overload
def quat_rpy(roll: float16, pitch: float16, yaw: float16) -> quath:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""
@overload
def quat_rpy(roll: bfloat16, pitch: bfloat16, yaw: bfloat16) -> quatbf:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""
@overload
def quat_rpy(roll: _F, pitch: _F, yaw: _F) -> Any:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""

@overload
def quat_to_rpy(q: quatf) -> vec3f:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""
@overload
def quat_to_rpy(q: quatd) -> vec3d:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""
@overload
def quat_to_rpy(q: quath) -> vec3h:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""
@overload
def quat_to_rpy(q: quatbf) -> vec3bf:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""
@overload
def quat_to_rpy(q: Quaternion[Any, Any]) -> Any:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""

def quat_slerp(a: _QuatF, b: _QuatF, t: _AnyFloat) -> _QuatF:
    """Between two unit quaternions at constant angular speed, the shorter way round: a for t = 0, b (or -b) for t = 1."""

@overload
def quat_from_euler(e: vec3f, i: float, j: float, k: float) -> quatf:
    """Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e."""
@overload
def quat_from_euler(e: vec3d, i: float64, j: float64, k: float64) -> quatd:
    """Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e."""
@overload
def quat_from_euler(e: vec3h, i: float16, j: float16, k: float16) -> quath:
    """Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e."""
@overload
def quat_from_euler(e: vec3bf, i: bfloat16, j: bfloat16, k: bfloat16) -> quatbf:
    """Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e."""
@overload
def quat_from_euler(e: Vector[Any, Any, Literal[3]], i: int, j: int, k: int) -> Any:
    """Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e."""

@overload
def quat_to_euler(q: quatf, i: float, j: float, k: float) -> vec3f:
    """The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each in the component of its axis. Where k is i again, the last angle stands in the component of the axis that is left. Where the first and the last turn about one axis, the first is 0."""
@overload
def quat_to_euler(q: quatd, i: float64, j: float64, k: float64) -> vec3d:
    """The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each in the component of its axis. Where k is i again, the last angle stands in the component of the axis that is left. Where the first and the last turn about one axis, the first is 0."""
@overload
def quat_to_euler(q: quath, i: float16, j: float16, k: float16) -> vec3h:
    """The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each in the component of its axis. Where k is i again, the last angle stands in the component of the axis that is left. Where the first and the last turn about one axis, the first is 0."""
@overload
def quat_to_euler(q: quatbf, i: bfloat16, j: bfloat16, k: bfloat16) -> vec3bf:
    """The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each in the component of its axis. Where k is i again, the last angle stands in the component of the axis that is left. Where the first and the last turn about one axis, the first is 0."""
@overload
def quat_to_euler(q: Quaternion[Any, Any], i: int, j: int, k: int) -> Any:
    """The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each in the component of its axis. Where k is i again, the last angle stands in the component of the axis that is left. Where the first and the last turn about one axis, the first is 0."""

def quat_twist(axis: Vector[Any, Any, Literal[3]], q: _QuatF) -> _QuatF:
    """The part of a rotation that turns about an axis, which must have length 1."""

def quat_twist_angle(axis: Vector[_F, Any, Literal[3]], q: Quaternion[_F, Any]) -> _F:
    """The angle of `quat_twist`, from 0 to 2 pi."""

def quat_twist_angle_signed(axis: Vector[_F, Any, Literal[3]], q: Quaternion[_F, Any]) -> _F:
    """The angle by which `quat_twist` turns about the axis, from -2 pi to 2 pi."""

@overload
def quat_between_vectors(a: vec3f, b: vec3f) -> quatf:
    """The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about an axis across them."""
@overload
def quat_between_vectors(a: vec3d, b: vec3d) -> quatd:
    """The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about an axis across them."""
@overload
def quat_between_vectors(a: vec3h, b: vec3h) -> quath:
    """The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about an axis across them."""
@overload
def quat_between_vectors(a: vec3bf, b: vec3bf) -> quatbf:
    """The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about an axis across them."""
@overload
def quat_between_vectors(a: Vector[_F, Any, Literal[3]], b: Vector[_F, Any, Literal[3]]) -> Any:
    """The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about an axis across them."""

@overload
def transformation(p: vec3f, q: quatf) -> transformf:
    """A transform of a position and a rotation (none: the identity), of its seven components, of one number for all of them, or of another transform; zeros without arguments. With `dtype`, with components of that type."""
@overload
def transformation(p: vec3d, q: quatd) -> transformd: ...
@overload
def transformation(p: vec3h, q: quath) -> transformh: ...
@overload
def transformation(p: Vector[_F, Any, Literal[3]], q: Quaternion[_F, Any]) -> Any: ...
@overload
def transformation(p: vec3f) -> transformf: ...
@overload
def transformation(p: vec3d) -> transformd: ...
@overload
def transformation(p: vec3h) -> transformh: ...
@overload
def transformation(p: Vector[Any, Any, Literal[3]]) -> Any: ...
@overload
def transformation(px: float, py: float, pz: float, qx: float, qy: float, qz: float, qw: float) -> transformf: ...
@overload
def transformation(px: float64, py: float64, pz: float64, qx: float64, qy: float64, qz: float64, qw: float64) -> transformd: ...
@overload
def transformation(px: float16, py: float16, pz: float16, qx: float16, qy: float16, qz: float16, qw: float16) -> transformh: ...
@overload
def transformation(px: _F, py: _F, pz: _F, qx: _F, qy: _F, qz: _F, qw: _F) -> Any: ...
@overload
def transformation(p: Vector[_F, Any, Literal[3]], q: Quaternion[_F, Any], dtype: type[Any]) -> Any: ...
@overload
def transformation(p: Vector[Any, Any, Literal[3]], dtype: type[Any]) -> Any: ...
@overload
def transformation(px: _F, py: _F, pz: _F, qx: _F, qy: _F, qz: _F, qw: _F, dtype: type[Any]) -> Any: ...
@overload
def transformation() -> transformf: ...
@overload
def transformation(dtype: type[Any] = ...) -> Any: ...
@overload
def transformation(t: _TransformF) -> _TransformF: ...
@overload
def transformation(s: float) -> transformf: ...
@overload
def transformation(s: float64) -> transformd: ...
@overload
def transformation(s: float16) -> transformh: ...
@overload
def transformation(s: _AnyFloat) -> Any: ...
@overload
def transformation(t: Transform[Any, Any], dtype: type[Any]) -> Any: ...
@overload
def transformation(s: _AnyFloat, dtype: type[Any]) -> Any: ...

@overload
def transform_identity() -> transformf:
    """The transform that changes nothing: position 0, rotation (0, 0, 0, 1)."""
@overload
def transform_identity(dtype: type[Any] = ...) -> Any:
    """The transform that changes nothing: position 0, rotation (0, 0, 0, 1)."""

@overload
def transform_get_translation(xform: transformf) -> vec3f:
    """The position of a transform, as `xform.p`."""
@overload
def transform_get_translation(xform: transformd) -> vec3d:
    """The position of a transform, as `xform.p`."""
@overload
def transform_get_translation(xform: transformh) -> vec3h:
    """The position of a transform, as `xform.p`."""
@overload
def transform_get_translation(xform: Transform[bfloat16, Any]) -> vec3bf:
    """The position of a transform, as `xform.p`."""
@overload
def transform_get_translation(xform: Transform[Any, Any]) -> Any:
    """The position of a transform, as `xform.p`."""

@overload
def transform_get_rotation(xform: transformf) -> quatf:
    """The rotation of a transform, as `xform.q`."""
@overload
def transform_get_rotation(xform: transformd) -> quatd:
    """The rotation of a transform, as `xform.q`."""
@overload
def transform_get_rotation(xform: transformh) -> quath:
    """The rotation of a transform, as `xform.q`."""
@overload
def transform_get_rotation(xform: Transform[bfloat16, Any]) -> quatbf:
    """The rotation of a transform, as `xform.q`."""
@overload
def transform_get_rotation(xform: Transform[Any, Any]) -> Any:
    """The rotation of a transform, as `xform.q`."""

def transform_set_translation(xform: Transform[_F, Any], p: Vector[_F, Any, Literal[3]]) -> None:
    """Gives a variable that is a transform another position, as `xform.p = p`."""

def transform_set_rotation(xform: Transform[_F, Any], q: Quaternion[_F, Any]) -> None:
    """Gives a variable that is a transform another rotation, as `xform.q = q`."""

def transform_multiply(a: _TransformF, b: _TransformF) -> _TransformF:
    """The transform that does b first, then a, as `a * b`."""

def transform_inverse(xform: _TransformF) -> _TransformF:
    """The transform that undoes one whose rotation has length 1."""

@overload
def transform_point(xform: Transform[Any, Any], point: _Vec3F) -> _Vec3F:
    """A point rotated, then shifted by a transform; or the first three components of a 4 x 4 matrix times the point with a fourth component 1, without division."""
@overload
def transform_point(mat: Matrix[Any, Any, Literal[4], Literal[4]], point: _Vec3F) -> _Vec3F:
    """A point rotated, then shifted by a transform; or the first three components of a 4 x 4 matrix times the point with a fourth component 1, without division."""

@overload
def transform_vector(xform: Transform[Any, Any], vec: _Vec3F) -> _Vec3F:
    """A direction rotated by a transform and not shifted; or the first three components of a 4 x 4 matrix times the vector with a fourth component 0."""
@overload
def transform_vector(mat: Matrix[Any, Any, Literal[4], Literal[4]], vec: _Vec3F) -> _Vec3F:
    """A direction rotated by a transform and not shifted; or the first three components of a 4 x 4 matrix times the vector with a fourth component 0."""

@overload
def transform_to_matrix(xform: transformf) -> mat44f:
    """The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points."""
@overload
def transform_to_matrix(xform: transformd) -> mat44d:
    """The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points."""
@overload
def transform_to_matrix(xform: transformh) -> mat44h:
    """The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points."""
@overload
def transform_to_matrix(xform: Transform[bfloat16, Any]) -> mat44bf:
    """The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points."""
@overload
def transform_to_matrix(xform: Transform[Any, Any]) -> Any:
    """The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points."""

@overload
def transform_from_matrix(mat: mat44f) -> transformf:
    """The transform of a 4 x 4 matrix whose first three columns are those of a rotation."""
@overload
def transform_from_matrix(mat: mat44d) -> transformd:
    """The transform of a 4 x 4 matrix whose first three columns are those of a rotation."""
@overload
def transform_from_matrix(mat: mat44h) -> transformh:
    """The transform of a 4 x 4 matrix whose first three columns are those of a rotation."""
@overload
def transform_from_matrix(mat: Matrix[Any, Any, Literal[4], Literal[4]]) -> Any:
    """The transform of a 4 x 4 matrix whose first three columns are those of a rotation."""

@overload
def transform_compose(position: vec3f, rotation: quatf, scale: vec3f) -> mat44f:
    """The 4 x 4 matrix that scales along the axes, then rotates, then shifts."""
@overload
def transform_compose(position: vec3d, rotation: quatd, scale: vec3d) -> mat44d:
    """The 4 x 4 matrix that scales along the axes, then rotates, then shifts."""
@overload
def transform_compose(position: vec3h, rotation: quath, scale: vec3h) -> mat44h:
    """The 4 x 4 matrix that scales along the axes, then rotates, then shifts."""
@overload
def transform_compose(position: vec3bf, rotation: quatbf, scale: vec3bf) -> mat44bf:
    """The 4 x 4 matrix that scales along the axes, then rotates, then shifts."""
@overload
def transform_compose(position: Vector[_F, Any, Literal[3]], rotation: Quaternion[_F, Any], scale: Vector[_F, Any, Literal[3]]) -> Any:
    """The 4 x 4 matrix that scales along the axes, then rotates, then shifts."""

@overload
def transform_decompose(mat: mat44f) -> tuple[vec3f, quatf, vec3f]:
    """Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so they are not negative."""
@overload
def transform_decompose(mat: mat44d) -> tuple[vec3d, quatd, vec3d]:
    """Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so they are not negative."""
@overload
def transform_decompose(mat: mat44h) -> tuple[vec3h, quath, vec3h]:
    """Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so they are not negative."""
@overload
def transform_decompose(mat: mat44bf) -> tuple[vec3bf, quatbf, vec3bf]:
    """Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so they are not negative."""
@overload
def transform_decompose(mat: Matrix[Any, Any, Literal[4], Literal[4]]) -> tuple[Any, Any, Any]:
    """Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so they are not negative."""

@overload
def spatial_top(svec: spatial_vectorf) -> vec3f:
    """The angular part of a spatial vector: its first three components."""
@overload
def spatial_top(svec: spatial_vectord) -> vec3d:
    """The angular part of a spatial vector: its first three components."""
@overload
def spatial_top(svec: spatial_vectorh) -> vec3h:
    """The angular part of a spatial vector: its first three components."""
@overload
def spatial_top(svec: Vector[bfloat16, Any, Literal[6]]) -> vec3bf:
    """The angular part of a spatial vector: its first three components."""
@overload
def spatial_top(svec: Vector[Any, Any, Literal[6]]) -> Any:
    """The angular part of a spatial vector: its first three components."""

@overload
def spatial_bottom(svec: spatial_vectorf) -> vec3f:
    """The linear part of a spatial vector: its last three components."""
@overload
def spatial_bottom(svec: spatial_vectord) -> vec3d:
    """The linear part of a spatial vector: its last three components."""
@overload
def spatial_bottom(svec: spatial_vectorh) -> vec3h:
    """The linear part of a spatial vector: its last three components."""
@overload
def spatial_bottom(svec: Vector[bfloat16, Any, Literal[6]]) -> vec3bf:
    """The linear part of a spatial vector: its last three components."""
@overload
def spatial_bottom(svec: Vector[Any, Any, Literal[6]]) -> Any:
    """The linear part of a spatial vector: its last three components."""

def spatial_dot(a: Vector[_F, Any, Literal[6]], b: Vector[_F, Any, Literal[6]]) -> _F:
    """Inner product of two spatial vectors."""

def spatial_cross(a: _Vec6F, b: _Vec6F) -> _Vec6F:
    """How a motion b changes that moves with a: (wa x wb, va x wb + wa x vb)."""

def spatial_cross_dual(a: _Vec6F, b: _Vec6F) -> _Vec6F:
    """How a force b changes that moves with a: (wa x wb + va x vb, wa x vb)."""

@overload
def spatial_adjoint(r: mat33f, s: mat33f) -> spatial_matrixf:
    """The 6 x 6 matrix with r in both diagonal blocks, s below and 0 above."""
@overload
def spatial_adjoint(r: mat33d, s: mat33d) -> spatial_matrixd:
    """The 6 x 6 matrix with r in both diagonal blocks, s below and 0 above."""
@overload
def spatial_adjoint(r: mat33h, s: mat33h) -> spatial_matrixh:
    """The 6 x 6 matrix with r in both diagonal blocks, s below and 0 above."""
@overload
def spatial_adjoint(r: Matrix[_F, Any, Literal[3], Literal[3]], s: Matrix[_F, Any, Literal[3], Literal[3]]) -> Any:
    """The 6 x 6 matrix with r in both diagonal blocks, s below and 0 above."""

def velocity_at_point(qd: Vector[Any, Any, Literal[6]], r: _Vec3F) -> _Vec3F:
    """Velocity of the point at r of a body that moves with the spatial velocity qd: w x r + v."""

def transform_twist(t: Transform[Any, Any], x: _Vec6F) -> _Vec6F:
    """A spatial velocity in the frame that a transform leads to: (R w, R v + p x R w)."""

def transform_wrench(t: Transform[Any, Any], x: _Vec6F) -> _Vec6F:
    """A spatial force in the frame that a transform leads to: (R w + p x R v, R v)."""

def closest_point_edge_edge(p1: _Vec3F, q1: _Vec3F, p2: _Vec3F, q2: _Vec3F, epsilon: _AnyFloat) -> _Vec3F:
    """The points of two segments, from p1 to q1 and from p2 to q2, that are closest to each other: the weights s and t of p1 + s (q1 - p1) and p2 + t (q2 - p2), from 0 to 1, and their distance. A segment whose squared length is epsilon or less is its first point. The slope by epsilon is 0. Source: Ericson, Real-Time Collision Detection (2005), 5.1.9."""

def intersect_tri_tri(v0: Vector[_F, Any, Literal[3]], v1: Vector[_F, Any, Literal[3]], v2: Vector[_F, Any, Literal[3]], u0: Vector[_F, Any, Literal[3]], u1: Vector[_F, Any, Literal[3]], u2: Vector[_F, Any, Literal[3]]) -> int:
    """Whether two triangles, (v0, v1, v2) and (u0, u1, u2), have a point in common: 1 or 0. Triangles that touch have one. Triangles in one plane, and triangles that are segments or points, are tested alike. The result is 0 where a coordinate is infinite or NaN. Source: Gottschalk, Lin, Manocha, OBBTree (1996), separating axes."""

def add(a: _ES, b: _ES) -> _ES:
    """Sum, as `a + b`."""

def sub(a: _ES, b: _ES) -> _ES:
    """Difference, as `a - b`."""

@overload
def mul(a: _S, b: _S) -> _S:
    """Product, as `a * b`: of numbers; of a vector, matrix or quaternion and a number; of matrices (also written `a @ b`); of a matrix and a column vector; of a row vector and a matrix; of quaternions; of transforms."""
@overload
def mul(a: _VecNS, b: _AnyNumber) -> _VecNS: ...
@overload
def mul(a: _AnyNumber, b: _VecNS) -> _VecNS: ...
@overload
def mul(a: _MatMNS, b: _AnyNumber) -> _MatMNS: ...
@overload
def mul(a: _AnyNumber, b: _MatMNS) -> _MatMNS: ...
@overload
def mul(a: _QuatF, b: _AnyFloat) -> _QuatF: ...
@overload
def mul(a: _AnyFloat, b: _QuatF) -> _QuatF: ...
@overload
def mul(a: mat22f, b: mat22f) -> mat22f: ...
@overload
def mul(a: mat33f, b: mat33f) -> mat33f: ...
@overload
def mul(a: mat44f, b: mat44f) -> mat44f: ...
@overload
def mul(a: mat22d, b: mat22d) -> mat22d: ...
@overload
def mul(a: mat33d, b: mat33d) -> mat33d: ...
@overload
def mul(a: mat44d, b: mat44d) -> mat44d: ...
@overload
def mul(a: mat22h, b: mat22h) -> mat22h: ...
@overload
def mul(a: mat33h, b: mat33h) -> mat33h: ...
@overload
def mul(a: mat44h, b: mat44h) -> mat44h: ...
@overload
def mul(a: mat22bf, b: mat22bf) -> mat22bf: ...
@overload
def mul(a: mat33bf, b: mat33bf) -> mat33bf: ...
@overload
def mul(a: mat44bf, b: mat44bf) -> mat44bf: ...
@overload
def mul(a: Matrix[_S, Any, Any, _N], b: Matrix[_S, Any, _N, Any]) -> Any: ...
@overload
def mul(a: mat22f, b: vec2f) -> vec2f: ...
@overload
def mul(a: mat33f, b: vec3f) -> vec3f: ...
@overload
def mul(a: mat44f, b: vec4f) -> vec4f: ...
@overload
def mul(a: mat22d, b: vec2d) -> vec2d: ...
@overload
def mul(a: mat33d, b: vec3d) -> vec3d: ...
@overload
def mul(a: mat44d, b: vec4d) -> vec4d: ...
@overload
def mul(a: mat22h, b: vec2h) -> vec2h: ...
@overload
def mul(a: mat33h, b: vec3h) -> vec3h: ...
@overload
def mul(a: mat44h, b: vec4h) -> vec4h: ...
@overload
def mul(a: mat22bf, b: vec2bf) -> vec2bf: ...
@overload
def mul(a: mat33bf, b: vec3bf) -> vec3bf: ...
@overload
def mul(a: mat44bf, b: vec4bf) -> vec4bf: ...
@overload
def mul(a: Matrix[_S, Any, Any, _N], b: Vector[_S, Any, _N]) -> Any: ...
@overload
def mul(a: vec2f, b: mat22f) -> vec2f: ...
@overload
def mul(a: vec3f, b: mat33f) -> vec3f: ...
@overload
def mul(a: vec4f, b: mat44f) -> vec4f: ...
@overload
def mul(a: vec2d, b: mat22d) -> vec2d: ...
@overload
def mul(a: vec3d, b: mat33d) -> vec3d: ...
@overload
def mul(a: vec4d, b: mat44d) -> vec4d: ...
@overload
def mul(a: vec2h, b: mat22h) -> vec2h: ...
@overload
def mul(a: vec3h, b: mat33h) -> vec3h: ...
@overload
def mul(a: vec4h, b: mat44h) -> vec4h: ...
@overload
def mul(a: vec2bf, b: mat22bf) -> vec2bf: ...
@overload
def mul(a: vec3bf, b: mat33bf) -> vec3bf: ...
@overload
def mul(a: vec4bf, b: mat44bf) -> vec4bf: ...
@overload
def mul(a: Vector[_S, Any, _M], b: Matrix[_S, Any, _M, Any]) -> Any: ...
@overload
def mul(a: _QuatF, b: _QuatF) -> _QuatF: ...
@overload
def mul(a: _TransformF, b: _AnyFloat) -> _TransformF: ...
@overload
def mul(a: _AnyFloat, b: _TransformF) -> _TransformF: ...
@overload
def mul(a: _TransformF, b: _TransformF) -> _TransformF: ...

@overload
def div(a: _F, b: _F) -> _F:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _I, b: _I) -> _I:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _VecNF, b: _AnyFloat) -> _VecNF:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _MatMNF, b: _AnyFloat) -> _MatMNF:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _QuatF, b: _AnyFloat) -> _QuatF:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _AnyFloat, b: _EF) -> _EF:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _EI, b: _AnyInt) -> _EI:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""
@overload
def div(a: _AnyInt, b: _EI) -> _EI:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""

@overload
def div_approx(a: _AnyFloat, b: _EF) -> _EF:
    """As `div` for floats; a device may compute it faster and less exactly."""
@overload
def div_approx(a: _EF, b: _AnyFloat) -> _EF:
    """As `div` for floats; a device may compute it faster and less exactly."""

@overload
def floordiv(a: _F, b: _F) -> _F:
    """Quotient rounded down, as `a // b`; of integers 0 where b is 0. No gradient."""
@overload
def floordiv(a: _I, b: _I) -> _I:
    """Quotient rounded down, as `a // b`; of integers 0 where b is 0. No gradient."""

@overload
def mod(a: _F, b: _F) -> _F:
    """What is left of a after taking b out of it a whole number of times, with the sign of a, as `a % b` (in Python the sign is that of b); of integers 0 where b is 0."""
@overload
def mod(a: _I, b: _I) -> _I:
    """What is left of a after taking b out of it a whole number of times, with the sign of a, as `a % b` (in Python the sign is that of b); of integers 0 where b is 0."""
@overload
def mod(a: _VecNF, b: _VecNF) -> _VecNF:
    """What is left of a after taking b out of it a whole number of times, with the sign of a, as `a % b` (in Python the sign is that of b); of integers 0 where b is 0."""
@overload
def mod(a: _VecNI, b: _VecNI) -> _VecNI:
    """What is left of a after taking b out of it a whole number of times, with the sign of a, as `a % b` (in Python the sign is that of b); of integers 0 where b is 0."""

def neg(x: _ES) -> _ES:
    """Each component with the other sign, as `-x`."""

def pos(x: _ES) -> _ES:
    """x itself, as `+x`."""

def tid() -> _Threads | Any:
    """Index of the thread in the launch; assigned to several names, one index for each dimension."""

def block_dim() -> int:
    """How many threads the launch wants a block of the GPU to have; 1 on the CPU."""

@overload
def lower_bound(arr: array[_Element, Any] | _Others, value: _Element) -> int:
    """Index of the first element of a sorted array that is not below a value, or of the last element if all are; of those from arr_begin up to arr_end only, where these are given. The array has one dimension."""
@overload
def lower_bound(arr: array[_Element, Any] | _Others, arr_begin: SupportsIndex, arr_end: SupportsIndex, value: _Element) -> int:
    """Index of the first element of a sorted array that is not below a value, or of the last element if all are; of those from arr_begin up to arr_end only, where these are given. The array has one dimension."""

@overload
def atomic_add(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."""
@overload
def atomic_add(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."""
@overload
def atomic_add(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."""
@overload
def atomic_add(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."""

@overload
def atomic_sub(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Subtracts from an element of an array in one step; gives what was there before."""
@overload
def atomic_sub(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Subtracts from an element of an array in one step; gives what was there before."""
@overload
def atomic_sub(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Subtracts from an element of an array in one step; gives what was there before."""
@overload
def atomic_sub(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Subtracts from an element of an array in one step; gives what was there before."""

@overload
def atomic_min(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Lowers an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_min(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Lowers an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_min(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Lowers an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_min(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Lowers an element of an array to a value in one step; gives what was there before."""

@overload
def atomic_max(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Raises an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_max(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Raises an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_max(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Raises an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_max(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Raises an element of an array to a value in one step; gives what was there before."""

@overload
def atomic_and(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Keeps those bits of an integer element of an array that are set in a value too, in one step; gives what was there before. No gradient."""
@overload
def atomic_and(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Keeps those bits of an integer element of an array that are set in a value too, in one step; gives what was there before. No gradient."""
@overload
def atomic_and(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Keeps those bits of an integer element of an array that are set in a value too, in one step; gives what was there before. No gradient."""
@overload
def atomic_and(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Keeps those bits of an integer element of an array that are set in a value too, in one step; gives what was there before. No gradient."""

@overload
def atomic_or(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Sets those bits of an integer element of an array that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_or(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Sets those bits of an integer element of an array that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_or(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Sets those bits of an integer element of an array that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_or(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Sets those bits of an integer element of an array that are set in a value, in one step; gives what was there before. No gradient."""

@overload
def atomic_xor(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Turns those bits of an integer element of an array over that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_xor(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Turns those bits of an integer element of an array over that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_xor(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Turns those bits of an integer element of an array over that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_xor(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Turns those bits of an integer element of an array over that are set in a value, in one step; gives what was there before. No gradient."""

@overload
def atomic_exch(arr: array[_Element, Any] | _Others, i: SupportsIndex, value: _Element) -> _Element:
    """Writes an element of an array in one step; gives what was there before. No gradient."""
@overload
def atomic_exch(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, value: _Element) -> _Element:
    """Writes an element of an array in one step; gives what was there before. No gradient."""
@overload
def atomic_exch(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, value: _Element) -> _Element:
    """Writes an element of an array in one step; gives what was there before. No gradient."""
@overload
def atomic_exch(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, value: _Element) -> _Element:
    """Writes an element of an array in one step; gives what was there before. No gradient."""

@overload
def atomic_cas(arr: array[_Element, Any] | _Others, i: SupportsIndex, compare: _Element, value: _Element) -> _Element:
    """Writes an element of an array in one step if it equals a value; gives what was there before. Vectors and matrices must be equal in all components, which are then written one after the other: other threads may see some of them. No gradient."""
@overload
def atomic_cas(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, compare: _Element, value: _Element) -> _Element:
    """Writes an element of an array in one step if it equals a value; gives what was there before. Vectors and matrices must be equal in all components, which are then written one after the other: other threads may see some of them. No gradient."""
@overload
def atomic_cas(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, compare: _Element, value: _Element) -> _Element:
    """Writes an element of an array in one step if it equals a value; gives what was there before. Vectors and matrices must be equal in all components, which are then written one after the other: other threads may see some of them. No gradient."""
@overload
def atomic_cas(arr: array[_Element, Any] | _Others, i: SupportsIndex, j: SupportsIndex, k: SupportsIndex, l: SupportsIndex, compare: _Element, value: _Element) -> _Element:
    """Writes an element of an array in one step if it equals a value; gives what was there before. Vectors and matrices must be equal in all components, which are then written one after the other: other threads may see some of them. No gradient."""

@overload
def rand_init(seed: int) -> uint32:
    """The state of a random number generator, a uint32. Threads draw different numbers if each gives its index as `offset`. Every draw gives the state another value, in the variable of the caller."""
@overload
def rand_init(seed: int, offset: int) -> uint32:
    """The state of a random number generator, a uint32. Threads draw different numbers if each gives its index as `offset`. Every draw gives the state another value, in the variable of the caller."""

@overload
def randi(state: uint32) -> int:
    """A random integer: any int32, or one in [low, high)."""
@overload
def randi(state: uint32, low: int, high: int) -> int:
    """A random integer: any int32, or one in [low, high)."""

@overload
def randu(state: uint32) -> uint32:
    """A random unsigned integer: any uint32, or one in [low, high)."""
@overload
def randu(state: uint32, low: uint32, high: uint32) -> uint32:
    """A random unsigned integer: any uint32, or one in [low, high)."""

@overload
def randf(state: uint32) -> float:
    """A random float in [0, 1), or in [low, high). With a gradient by low and high."""
@overload
def randf(state: uint32, low: float, high: float) -> float:
    """A random float in [0, 1), or in [low, high). With a gradient by low and high."""

def randn(state: uint32) -> float:
    """A random float of the normal distribution with mean 0 and variance 1. Two draws."""

def sample_cdf(state: uint32, cdf: array[float, Any] | _Others) -> int:
    """A random index of a cumulative distribution, an array of increasing float32: the first one whose content is not below a random number in [0, 1); the length of the array if there is none."""

def poisson(state: uint32, lam: float) -> uint32:
    """A random number of the Poisson distribution with mean `lam`: how often something happens that happens `lam` times on average. How many draws it takes depends on them."""

def sample_triangle(state: uint32) -> vec2f:
    """Two barycentric coordinates of a random point of a triangle; the third is 1 minus both."""

def sample_unit_ring(state: uint32) -> vec2f:
    """A random point on the circle of radius 1."""

def sample_unit_disk(state: uint32) -> vec2f:
    """A random point in the disk of radius 1."""

def sample_unit_sphere_surface(state: uint32) -> vec3f:
    """A random point on the sphere of radius 1."""

def sample_unit_sphere(state: uint32) -> vec3f:
    """A random point in the ball of radius 1."""

def sample_unit_hemisphere_surface(state: uint32) -> vec3f:
    """A random point on the half of the unit sphere with z >= 0."""

def sample_unit_hemisphere(state: uint32) -> vec3f:
    """A random point in the half of the unit ball with z >= 0."""

def sample_unit_square(state: uint32) -> vec2f:
    """A random point in the square [-0.5, 0.5) x [-0.5, 0.5)."""

def sample_unit_cube(state: uint32) -> vec3f:
    """A random point in the cube [-0.5, 0.5) x [-0.5, 0.5) x [-0.5, 0.5)."""

@overload
def noise(state: uint32, x: float) -> float:
    """Perlin noise: a smooth random function of a point, 0 where all coordinates are whole. The state is the seed; it does not change."""
@overload
def noise(state: uint32, xy: Vector[float, Any, Literal[2]]) -> float:
    """Perlin noise: a smooth random function of a point, 0 where all coordinates are whole. The state is the seed; it does not change."""
@overload
def noise(state: uint32, xyz: Vector[float, Any, Literal[3]]) -> float:
    """Perlin noise: a smooth random function of a point, 0 where all coordinates are whole. The state is the seed; it does not change."""
@overload
def noise(state: uint32, xyzt: Vector[float, Any, Literal[4]]) -> float:
    """Perlin noise: a smooth random function of a point, 0 where all coordinates are whole. The state is the seed; it does not change."""

@overload
def pnoise(state: uint32, x: float, px: int) -> float:
    """Perlin noise that repeats after a whole number of units along each axis, on either side of 0 but not across it."""
@overload
def pnoise(state: uint32, xy: Vector[float, Any, Literal[2]], px: int, py: int) -> float:
    """Perlin noise that repeats after a whole number of units along each axis, on either side of 0 but not across it."""
@overload
def pnoise(state: uint32, xyz: Vector[float, Any, Literal[3]], px: int, py: int, pz: int) -> float:
    """Perlin noise that repeats after a whole number of units along each axis, on either side of 0 but not across it."""
@overload
def pnoise(state: uint32, xyzt: Vector[float, Any, Literal[4]], px: int, py: int, pz: int, pt: int) -> float:
    """Perlin noise that repeats after a whole number of units along each axis, on either side of 0 but not across it."""

@overload
def curlnoise(state: uint32, xy: _Vec2float32, octaves: uint32 = ..., lacunarity: float = ..., gain: float = ...) -> _Vec2float32:
    """A vector field without divergence: the curl of Perlin noise, with time as the fourth coordinate. Each further octave has its frequency multiplied by `lacunarity` and its strength by `gain`."""
@overload
def curlnoise(state: uint32, xyz: _Vec3float32, octaves: uint32 = ..., lacunarity: float = ..., gain: float = ...) -> _Vec3float32:
    """A vector field without divergence: the curl of Perlin noise, with time as the fourth coordinate. Each further octave has its frequency multiplied by `lacunarity` and its strength by `gain`."""
@overload
def curlnoise(state: uint32, xyzt: Vector[float, Any, Literal[4]], octaves: uint32 = ..., lacunarity: float = ..., gain: float = ...) -> vec3f:
    """A vector field without divergence: the curl of Perlin noise, with time as the fourth coordinate. Each further octave has its frequency multiplied by `lacunarity` and its strength by `gain`."""

def expect_eq(a: _Element, b: _Element) -> None:
    """Prints both values if they differ in any component; NaN differs from everything. The kernel goes on."""

def expect_neq(a: _Element, b: _Element) -> None:
    """Prints both values if they are equal. The kernel goes on."""

def expect_near(a: _EF, b: _EF, tolerance: _AnyFloat = ...) -> None:
    """Prints both values if a component of one is further from that of the other than the tolerance, or is NaN. The kernel goes on."""

def printf(fmt: str, *args: Any) -> None:
    """Prints in the manner of C: `%d` and `%i` (signed), `%u`, `%x`, `%o`, `%c` take integers, `%f`, `%e`, `%g` floats, `%s` string literals; flags, width and precision as in C. Lengths such as `l` are not needed."""

@overload
def hash_grid_query(id: Any, point: vec3f, max_dist: _AnyFloat) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built."""
@overload
def hash_grid_query(id: Any, point: vec3f, max_dist: _AnyFloat, group: _AnyInt) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built."""
@overload
def hash_grid_query(id: Any, point: vec3h, max_dist: float16) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built."""
@overload
def hash_grid_query(id: Any, point: vec3h, max_dist: float16, group: _AnyInt) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built."""
@overload
def hash_grid_query(id: Any, point: vec3d, max_dist: float64) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built."""
@overload
def hash_grid_query(id: Any, point: vec3d, max_dist: float64, group: _AnyInt) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built."""

def hash_grid_query_next(query: HashGridQuery, index: int) -> bool:
    """Whether a query finds another point; `index` becomes its number in the array that the grid was built of.

    `for index in query` does the same."""

def hash_grid_point_id(id: Any, index: _AnyInt) -> int:
    """The number of the point that is in this place when points are sorted by cells; -1 if there is none.

    Threads that work on `hash_grid_point_id(id, wp.tid())` read neighbouring memory. A launch with a thread for each
    point of a grid that it queries runs in this order by itself on the CPU, unless its result would depend on it."""

def bvh_query_aabb(id: Any, low: vec3f, high: vec3f, root: _AnyInt = ...) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes overlap a box.

    Boxes that touch overlap. `id` is the tree, or its `id`. `root` is the node that `bvh_get_group_root` gave, so that
    only items of that group are found, or -1 for all; below any other number nothing is found. The order of items is
    not specified. Nothing is found where a coordinate is NaN."""

def bvh_query_sphere(id: Any, center: vec3f, radius: _AnyFloat, root: _AnyInt = ...) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes are within a distance of a point.

    The distance is to the box itself; one that the sphere touches is found. A negative radius counts as 0. `root` as
    for `bvh_query_aabb`."""

def bvh_query_ray(id: Any, start: vec3f, dir: vec3f, root: _AnyInt = ...) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes a ray meets.

    `dir` need not have length 1; distances are counted in its lengths. A ray that touches a box meets it. If `dir` is
    zero, boxes that hold `start` are found. `bvh_query_next` has a limit for the distance. `root` as for
    `bvh_query_aabb`."""

def bvh_query_capsule(id: Any, start: vec3f, dir: vec3f, radius: _AnyFloat, root: _AnyInt = ...) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes a thick ray meets: boxes grown by a radius on all sides.

    For the capsule between two points pass `dir = end - start`, and 1.0 as `max_dist` of `bvh_query_next`. A negative
    radius counts as 0. `root` as for `bvh_query_aabb`."""

def bvh_query_next(query: BvhQuery, index: int, max_dist: _AnyFloat = ...) -> bool:
    """Whether a query finds another item; `index` becomes its number in the arrays that the tree was built of.

    For rays and capsules, `max_dist` is the distance, in lengths of `dir`, at which a box must have been entered: less
    for rays, at most for capsules. It may become smaller from call to call. `for index in query` does the same without
    a limit."""

def bvh_get_group_root(id: Any, group: _AnyInt) -> int:
    """The node whose subtree holds the items of a group; -1 if there is no such group.

    As -1 stands for the whole tree in queries, test it before passing it on, or pass `wp.where(root < 0, -2, root)`:
    -2 is no node, so that nothing is found."""

def bvh_query_closest(id: Any, point: vec3f, max_dist: _AnyFloat, root: _AnyInt = ...) -> int:
    """The item of a tree whose box is closest to a point; -1 if none is nearer than `max_dist`.

    A box that holds the point has the distance 0. Of boxes that are equally close, the one with the least number is
    found. `root` as for `bvh_query_aabb`. Nothing is found if a number is NaN. The result has no gradient."""

def mesh_eval_face_normal(id: Any, face: _AnyInt) -> vec3f:
    """The normal of a face, of length 1: that of `(p1 - p0) x (p2 - p0)`. Gradients reach the points of the mesh."""

def mesh_eval_position(id: Any, face: _AnyInt, bary_u: _AnyFloat, bary_v: _AnyFloat) -> vec3f:
    """The point `u * p0 + v * p1 + (1 - u - v) * p2` of a face. Gradients reach `u`, `v` and the points of the mesh."""

def mesh_eval_velocity(id: Any, face: _AnyInt, bary_u: _AnyFloat, bary_v: _AnyFloat) -> vec3f:
    """The velocity `u * v0 + v * v1 + (1 - u - v) * v2` of a point of a face; zero if the mesh has no velocities.

    Gradients reach `u`, `v` and the velocities of the mesh."""

def mesh_get(id: Any) -> Mesh:
    """The arrays of a mesh, `points`, `velocities` and `indices`, three for each face. `id`: the mesh, or its `id`."""

def mesh_get_bvh(id: Any) -> uint64:
    """The id of the tree over the faces of a mesh, for `bvh_query_aabb` and the others."""

def mesh_get_group_root(id: Any, group: _AnyInt) -> int:
    """The node whose subtree holds the faces of a group; -1 if there is no such group. As `bvh_get_group_root`."""

def mesh_get_index(id: Any, index: _AnyInt) -> int:
    """The number of the point at a corner: `3 * face + k` for corner `k` of a face."""

def mesh_get_point(id: Any, index: _AnyInt) -> vec3f:
    """The point at a corner: `3 * face + k` for corner `k` of a face. Gradients reach the points of the mesh."""

def mesh_get_velocity(id: Any, index: _AnyInt) -> vec3f:
    """The velocity of the point at a corner, zero if the mesh has none: `3 * face + k` for corner `k` of a face."""

def mesh_query_aabb(id: Any, low: vec3f, high: vec3f) -> MeshQuery:
    """Starts a query for the faces of a mesh whose boxes overlap a box. Boxes that touch overlap.

    `id` is the mesh, or its `id`. A loop over the query gives the faces, and so does `mesh_query_next`."""

def mesh_query_aabb_next(query: MeshQuery, index: int) -> bool:
    """The older name of `mesh_query_next`."""

@overload
def mesh_query_furthest_point_no_sign(id: Any, point: vec3f, min_dist: _AnyFloat) -> MeshQueryPoint:
    """Finds the point of a mesh that is furthest from a point, farther than a distance. `sign` is 0.

    It is a corner of a face. `id` is the mesh, or its `id`."""
@overload
def mesh_query_furthest_point_no_sign(id: Any, point: vec3f, min_dist: _AnyFloat, face: int, bary_u: _AnyFloat, bary_v: _AnyFloat) -> bool:
    """Finds the point of a mesh that is furthest from a point, farther than a distance. `sign` is 0.

    It is a corner of a face. `id` is the mesh, or its `id`."""

def mesh_query_next(query: MeshQuery, index: int) -> bool:
    """Whether a query of a mesh finds another face; `index` becomes its number. `for index in query` does the same."""

@overload
def mesh_query_point(id: Any, point: vec3f, max_dist: _AnyFloat) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by rays along the three axes: inside is where two of them or more first meet the back of a face.
    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""
@overload
def mesh_query_point(id: Any, point: vec3f, max_dist: _AnyFloat, inside: _AnyFloat, face: int, bary_u: _AnyFloat, bary_v: _AnyFloat) -> bool:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by rays along the three axes: inside is where two of them or more first meet the back of a face.
    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""

@overload
def mesh_query_point_no_sign(id: Any, point: vec3f, max_dist: _AnyFloat) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance. `sign` is 0.

    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""
@overload
def mesh_query_point_no_sign(id: Any, point: vec3f, max_dist: _AnyFloat, face: int, bary_u: _AnyFloat, bary_v: _AnyFloat) -> bool:
    """Finds the point of a mesh that is closest to a point, nearer than a distance. `sign` is 0.

    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""

@overload
def mesh_query_point_sign_normal(id: Any, point: vec3f, max_dist: _AnyFloat, epsilon: _AnyFloat = ...) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by the normals of the faces that meet in the closest point, at corners weighted by their angles.
    This is exact for closed meshes. `epsilon` has no effect: faces meet where they are exactly as near. `id` is the
    mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that are equally
    close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""
@overload
def mesh_query_point_sign_normal(id: Any, point: vec3f, max_dist: _AnyFloat, inside: _AnyFloat, face: int, bary_u: _AnyFloat, bary_v: _AnyFloat, epsilon: _AnyFloat = ...) -> bool:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by the normals of the faces that meet in the closest point, at corners weighted by their angles.
    This is exact for closed meshes. `epsilon` has no effect: faces meet where they are exactly as near. `id` is the
    mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that are equally
    close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""

@overload
def mesh_query_point_sign_parity(id: Any, point: vec3f, max_dist: _AnyFloat, n_sample: _AnyInt = ..., perturbation_scale: _AnyFloat = ...) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by `n_sample` rays along (1, 1, 1), to each of whose components up to `perturbation_scale` is added
    or taken away: inside is where at least half of them cross an odd number of faces, or where there is no ray. `id` is
    the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that are
    equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of the
    mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""
@overload
def mesh_query_point_sign_parity(id: Any, point: vec3f, max_dist: _AnyFloat, inside: _AnyFloat, face: int, bary_u: _AnyFloat, bary_v: _AnyFloat, n_sample: _AnyInt = ..., perturbation_scale: _AnyFloat = ...) -> bool:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by `n_sample` rays along (1, 1, 1), to each of whose components up to `perturbation_scale` is added
    or taken away: inside is where at least half of them cross an odd number of faces, or where there is no ray. `id` is
    the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that are
    equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of the
    mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""

@overload
def mesh_query_point_sign_winding_number(id: Any, point: vec3f, max_dist: _AnyFloat, accuracy: _AnyFloat = ..., threshold: _AnyFloat = ...) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by the winding number: inside is where it is greater than `threshold`. This serves meshes with
    holes, too. Groups of faces are taken together where the point is further from them than `accuracy` times their
    radius; they must be prepared by `support_winding_number=True` of the mesh, otherwise each face is gone through.
    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""
@overload
def mesh_query_point_sign_winding_number(id: Any, point: vec3f, max_dist: _AnyFloat, inside: _AnyFloat, face: int, bary_u: _AnyFloat, bary_v: _AnyFloat, accuracy: _AnyFloat = ..., threshold: _AnyFloat = ...) -> bool:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by the winding number: inside is where it is greater than `threshold`. This serves meshes with
    holes, too. Groups of faces are taken together where the point is further from them than `accuracy` times their
    radius; they must be prepared by `support_winding_number=True` of the mesh, otherwise each face is gone through.
    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True."""

@overload
def mesh_query_ray(id: Any, start: vec3f, dir: vec3f, max_t: _AnyFloat, root: _AnyInt = ...) -> MeshQueryRay:
    """Finds the first face of a mesh that a ray meets, nearer than `max_t` lengths of `dir`.

    Both sides of a face count, and its edges, so that no ray slips between faces that share an edge. Of faces at the
    same distance, the one with the least number is found. `id` is the mesh, or its `id`. Nothing is found if `dir` is
    zero or a coordinate is NaN. `root` is the node that `mesh_get_group_root` gave, or -1 for all faces. Gradients of
    `t`, `u`, `v` and `normal` reach `start`, `dir` and the points of the mesh.

    The older form, with variables for the results, writes these if it returns True."""
@overload
def mesh_query_ray(id: Any, start: vec3f, dir: vec3f, max_t: _AnyFloat, t: _AnyFloat, bary_u: _AnyFloat, bary_v: _AnyFloat, sign: _AnyFloat, normal: vec3f, face: int, root: _AnyInt = ...) -> bool:
    """Finds the first face of a mesh that a ray meets, nearer than `max_t` lengths of `dir`.

    Both sides of a face count, and its edges, so that no ray slips between faces that share an edge. Of faces at the
    same distance, the one with the least number is found. `id` is the mesh, or its `id`. Nothing is found if `dir` is
    zero or a coordinate is NaN. `root` is the node that `mesh_get_group_root` gave, or -1 for all faces. Gradients of
    `t`, `u`, `v` and `normal` reach `start`, `dir` and the points of the mesh.

    The older form, with variables for the results, writes these if it returns True."""

def mesh_query_ray_anyhit(id: Any, start: vec3f, dir: vec3f, max_t: _AnyFloat, root: _AnyInt = ...) -> bool:
    """Whether a ray meets a face of a mesh nearer than `max_t` lengths of `dir`. Arguments as for `mesh_query_ray`."""

def mesh_query_ray_count_intersections(id: Any, start: vec3f, dir: vec3f, root: _AnyInt = ...) -> int:
    """How many faces of a mesh a ray crosses.

    A ray through an edge or a corner counts as if it went a little beside: where faces lie side by side it crosses one
    of them, and a closed surface an even number of times from outside. Arguments as for `mesh_query_ray`."""

def mesh_query_sphere(id: Any, center: vec3f, radius: _AnyFloat) -> MeshQuery:
    """Starts a query for the faces of a mesh that are within a distance of a point.

    A face that the sphere touches is found. A negative radius counts as 0. `id` is the mesh, or its `id`. A loop over
    the query gives the faces, and so does `mesh_query_next`."""

@overload
def volume_index_to_world(id: Any, uvw: vec3f) -> vec3f:
    """The place in the world of a point in the index space of a volume."""
@overload
def volume_index_to_world(id: Any, uvw: vec3d) -> vec3d:
    """The place in the world of a point in the index space of a volume."""

@overload
def volume_index_to_world_dir(id: Any, uvw: vec3f) -> vec3f:
    """The direction in the world of one in the index space of a volume, not normalised."""
@overload
def volume_index_to_world_dir(id: Any, uvw: vec3d) -> vec3d:
    """The direction in the world of one in the index space of a volume, not normalised."""

def volume_lookup(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt, dtype: Any) -> Any:
    """The value of a voxel of a volume; the background where there is none. `dtype` is the type of its values."""

def volume_lookup_f(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt) -> _AnyFloat:
    """The value of a voxel of a volume of float32: as `volume_lookup`."""

def volume_lookup_i(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt) -> int:
    """The value of a voxel of a volume of int32: as `volume_lookup`."""

def volume_lookup_index(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt) -> int:
    """The number of a voxel, for an array that has an element for each; -1 where there is none.

    Grids that were allocated by voxels number these; other volumes number all voxels of each tile."""

def volume_lookup_v(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt) -> vec3f:
    """The value of a voxel of a volume of vec3: as `volume_lookup`."""

def volume_sample(id: Any, uvw: vec3f, sampling_mode: _AnyInt, dtype: Any) -> Any:
    """The value of a volume at a point.

    `id` is the volume, or its `id`; `uvw` is in index space, where voxel (i, j, k) has its centre at (i, j, k);
    `sampling_mode` is `wp.Volume.CLOSEST` or `wp.Volume.LINEAR`, which interpolates between eight voxels; `dtype` is
    the type of the volume's values. Integers are not interpolated: both modes give the closest. Where the volume has no
    voxel, its value is the background. Has derivatives to `uvw`, and to the values of a volume that requires a
    gradient."""

def volume_sample_f(id: Any, uvw: vec3f, sampling_mode: _AnyInt) -> _AnyFloat:
    """The value of a volume of float32 at a point: as `volume_sample`."""

@overload
def volume_sample_grad(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: vec3f, dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`."""
@overload
def volume_sample_grad(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: vec3d, dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`."""
@overload
def volume_sample_grad(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: mat33f, dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`."""
@overload
def volume_sample_grad(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: mat33d, dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`."""
@overload
def volume_sample_grad(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: Any, dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`."""
@overload
def volume_sample_grad(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: Any, dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`."""

def volume_sample_grad_f(id: Any, uvw: vec3f, sampling_mode: _AnyInt, grad: vec3f) -> _AnyFloat:
    """The value of a volume of float32 at a point, and its gradient: as `volume_sample_grad`."""

@overload
def volume_sample_grad_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any, grad: vec3f) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`."""
@overload
def volume_sample_grad_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any, grad: vec3d) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`."""
@overload
def volume_sample_grad_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any, grad: mat33f) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`."""
@overload
def volume_sample_grad_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any, grad: mat33d) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`."""
@overload
def volume_sample_grad_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any, grad: Any) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`."""
@overload
def volume_sample_grad_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any, grad: Any) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`."""

def volume_sample_i(id: Any, uvw: vec3f) -> int:
    """The value of a volume of int32 at the voxel closest to a point: as `volume_sample`."""

def volume_sample_index(id: Any, uvw: vec3f, sampling_mode: _AnyInt, voxel_data: array[Any], background: Any) -> Any:
    """The value at a point of an array that has an element for each voxel.

    As `volume_sample`, but the value of a voxel is the element of `voxel_data` that `volume_lookup_index` gives, or
    `background` where there is no voxel. Has derivatives to `uvw`, `voxel_data` and `background`. Integers are not
    interpolated: both modes give the closest."""

def volume_sample_v(id: Any, uvw: vec3f, sampling_mode: _AnyInt) -> vec3f:
    """The value of a volume of vec3 at a point: as `volume_sample`."""

def volume_store(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt, value: Any) -> None:
    """Writes the value of a voxel.

    `value` has the type of the volume's values. Nothing is written where the volume has no tile, or where it holds
    codes instead of values. Threads that write one voxel, or one that others read, race."""

def volume_store_f(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt, value: _AnyFloat) -> None:
    """Writes the value of a voxel of a volume of float32: as `volume_store`."""

def volume_store_i(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt, value: _AnyInt) -> None:
    """Writes the value of a voxel of a volume of int32: as `volume_store`."""

def volume_store_v(id: Any, i: _AnyInt, j: _AnyInt, k: _AnyInt, value: vec3f) -> None:
    """Writes the value of a voxel of a volume of vec3: as `volume_store`."""

def volume_voxel_count(id: Any) -> int:
    """How many voxels of a volume have numbers."""

@overload
def volume_world_to_index(id: Any, xyz: vec3f) -> vec3f:
    """The point in the index space of a volume of a place in the world."""
@overload
def volume_world_to_index(id: Any, xyz: vec3d) -> vec3d:
    """The point in the index space of a volume of a place in the world."""

@overload
def volume_world_to_index_dir(id: Any, xyz: vec3f) -> vec3f:
    """The direction in the index space of a volume of one in the world, not normalised."""
@overload
def volume_world_to_index_dir(id: Any, xyz: vec3d) -> vec3d:
    """The direction in the index space of a volume of one in the world, not normalised."""

@overload
def texture_sample(tex: Texture1D, u: _AnyFloat, dtype: Any, lod: _AnyFloat = ...) -> Any:
    """The value of a texture at a place.

    `tex` is a parameter or field of type `wp.Texture1D`, `wp.Texture2D` or `wp.Texture3D`; None gives 0. Coordinates
    are from 0 to 1, or in texels, as the texture was made; texel i has its centre at i + 0.5. `dtype` is `float`,
    `wp.vec2` or `wp.vec4`: one channel, or as many as there are, others 0. `lod` is the mipmap level, 0 the largest.
    Has derivatives to the coordinates, to `lod` where levels are blended, and to the texels of a texture of an array of
    float32 that requires a gradient."""
@overload
def texture_sample(tex: Texture2D, uv: vec2f, dtype: Any, lod: _AnyFloat = ...) -> Any:
    """The value of a texture at a place.

    `tex` is a parameter or field of type `wp.Texture1D`, `wp.Texture2D` or `wp.Texture3D`; None gives 0. Coordinates
    are from 0 to 1, or in texels, as the texture was made; texel i has its centre at i + 0.5. `dtype` is `float`,
    `wp.vec2` or `wp.vec4`: one channel, or as many as there are, others 0. `lod` is the mipmap level, 0 the largest.
    Has derivatives to the coordinates, to `lod` where levels are blended, and to the texels of a texture of an array of
    float32 that requires a gradient."""
@overload
def texture_sample(tex: Texture2D, u: _AnyFloat, v: _AnyFloat, dtype: Any, lod: _AnyFloat = ...) -> Any:
    """The value of a texture at a place.

    `tex` is a parameter or field of type `wp.Texture1D`, `wp.Texture2D` or `wp.Texture3D`; None gives 0. Coordinates
    are from 0 to 1, or in texels, as the texture was made; texel i has its centre at i + 0.5. `dtype` is `float`,
    `wp.vec2` or `wp.vec4`: one channel, or as many as there are, others 0. `lod` is the mipmap level, 0 the largest.
    Has derivatives to the coordinates, to `lod` where levels are blended, and to the texels of a texture of an array of
    float32 that requires a gradient."""
@overload
def texture_sample(tex: Texture3D, uvw: vec3f, dtype: Any, lod: _AnyFloat = ...) -> Any:
    """The value of a texture at a place.

    `tex` is a parameter or field of type `wp.Texture1D`, `wp.Texture2D` or `wp.Texture3D`; None gives 0. Coordinates
    are from 0 to 1, or in texels, as the texture was made; texel i has its centre at i + 0.5. `dtype` is `float`,
    `wp.vec2` or `wp.vec4`: one channel, or as many as there are, others 0. `lod` is the mipmap level, 0 the largest.
    Has derivatives to the coordinates, to `lod` where levels are blended, and to the texels of a texture of an array of
    float32 that requires a gradient."""
@overload
def texture_sample(tex: Texture3D, u: _AnyFloat, v: _AnyFloat, w: _AnyFloat, dtype: Any, lod: _AnyFloat = ...) -> Any:
    """The value of a texture at a place.

    `tex` is a parameter or field of type `wp.Texture1D`, `wp.Texture2D` or `wp.Texture3D`; None gives 0. Coordinates
    are from 0 to 1, or in texels, as the texture was made; texel i has its centre at i + 0.5. `dtype` is `float`,
    `wp.vec2` or `wp.vec4`: one channel, or as many as there are, others 0. `lod` is the mipmap level, 0 the largest.
    Has derivatives to the coordinates, to `lod` where levels are blended, and to the texels of a texture of an array of
    float32 that requires a gradient."""

