# Made from the table of builtins: `BLESS=1 cargo test -p tests --test builtins` writes it anew.

from typing import Any, overload

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

def sin(x: float) -> float:
    """Sine of an angle in radians."""

def cos(x: float) -> float:
    """Cosine of an angle in radians."""

def tan(x: float) -> float:
    """Tangent of an angle in radians."""

def asin(x: float) -> float:
    """Inverse sine in radians; NaN outside [-1, 1]."""

def acos(x: float) -> float:
    """Inverse cosine in radians; NaN outside [-1, 1]."""

def atan(x: float) -> float:
    """Inverse tangent in radians."""

def atan2(y: float, x: float) -> float:
    """Angle of the point (x, y) in radians, from -pi to pi; 0 at the origin."""

def sinh(x: float) -> float:
    """Hyperbolic sine."""

def cosh(x: float) -> float:
    """Hyperbolic cosine."""

def tanh(x: float) -> float:
    """Hyperbolic tangent."""

def exp(x: float) -> float:
    """Exponential function."""

def log(x: float) -> float:
    """Natural logarithm."""

def log2(x: float) -> float:
    """Logarithm to base 2."""

def log10(x: float) -> float:
    """Logarithm to base 10."""

def sqrt(x: float) -> float:
    """Square root; NaN below 0."""

def cbrt(x: float) -> float:
    """Cube root, negative for negative arguments."""

def pow(x: float, y: float) -> float:
    """x to the power of y, as `x ** y`. The slope by y is 0 where x is not positive."""

def erf(x: float) -> float:
    """Error function."""

def erfc(x: float) -> float:
    """Complementary error function, 1 - erf(x)."""

def erfinv(x: float) -> float:
    """Inverse of the error function, on (-1, 1)."""

def erfcinv(x: float) -> float:
    """Inverse of the complementary error function, on (0, 2)."""

def floor(x: float) -> float:
    """Largest integer that is not above x. No gradient."""

def ceil(x: float) -> float:
    """Smallest integer that is not below x. No gradient."""

def trunc(x: float) -> float:
    """Integer part, towards 0. No gradient."""

def round(x: float) -> float:
    """Nearest integer, halves away from 0. No gradient."""

def rint(x: float) -> float:
    """Nearest integer, halves to the even one. No gradient."""

def copysign(x: float, y: float) -> float:
    """x with the sign of y, also that of -0.0. The slope by y is 0."""

def bit_and(a: Any, b: Any) -> Any:
    """Bits that are set in both, as `a & b`."""

def bit_or(a: Any, b: Any) -> Any:
    """Bits that are set in either, as `a | b`."""

def bit_xor(a: Any, b: Any) -> Any:
    """Bits that are set in one of the two, as `a ^ b`."""

def lshift(a: Any, b: Any) -> Any:
    """a with its bits moved up by b, as `a << b`; 0 if b is negative or not below the width."""

def rshift(a: Any, b: Any) -> Any:
    """a with its bits moved down by b, keeping the sign, as `a >> b`."""

def invert(a: Any) -> Any:
    """Every bit turned over, as `~a`."""

def frac(x: float) -> float:
    """What is left of x without its integer part, with the sign of x."""

def degrees(x: float) -> float:
    """Radians in degrees."""

def radians(x: float) -> float:
    """Degrees in radians."""

def isnan(a: Any) -> bool:
    """Whether a, or any component of it, is NaN."""

def isinf(a: Any) -> bool:
    """Whether a, or any component of it, is infinite."""

def isfinite(a: Any) -> bool:
    """Whether a, or every component of it, is neither infinite nor NaN."""

def abs(x: Any) -> Any:
    """Absolute value of each component. The slope at 0 is 1."""

def sign(x: Any) -> Any:
    """-1 for each component below 0, else 1, also for NaN. No gradient."""

@overload
def min(a: Any, b: Any) -> Any:
    """The smaller of two, by component for vectors; the smallest component of one vector; the smallest of several. NaN only if all are NaN. The gradient goes to the first of equals."""
@overload
def min(a: Any) -> float: ...
@overload
def min(a: float, b: float, *more: float) -> float: ...

@overload
def max(a: Any, b: Any) -> Any:
    """The larger of two, by component for vectors; the largest component of one vector; the largest of several. NaN only if all are NaN. The gradient goes to the first of equals."""
@overload
def max(a: Any) -> float: ...
@overload
def max(a: float, b: float, *more: float) -> float: ...

def clamp(x: float, low: float, high: float) -> float:
    """x, but not below `low` and not above `high`; `high` where low > high, `low` where x is NaN."""

def step(x: float) -> float:
    """1 if x is below 0, else 0. No gradient."""

def nonzero(x: float) -> float:
    """0 if x is 0, else 1. No gradient."""

def where(cond: float, value_if_true: Any, value_if_false: Any) -> Any:
    """One of two values, structs or arrays. Both values are computed; use `if` where one of them must not be. An array as the condition is true unless None was passed for it."""

def lerp(a: Any, b: Any, t: float) -> Any:
    """Linear between a (t = 0) and b (t = 1), and beyond."""

def smoothstep(a: float, b: float, x: float) -> float:
    """0 up to a, 1 from b on, and a cubic without kinks between them."""

def bit_count(x: int) -> int:
    """How many bits of x are set, in the width of its type: 32 of -1 as an int32."""

def cast(a: Any, dtype: Any) -> Any:
    """The bits of a value as another type of the same size, such as float32 and uint32. Nothing is converted. No gradient."""

def unot(a: Any) -> bool:
    """Whether a is 0, or an array for which None was passed, as `not a`."""

def dot(a: Any, b: Any) -> float:
    """Inner product of two vectors or quaternions."""

def ddot(a: Any, b: Any) -> float:
    """Sum of the products of the components of two matrices."""

def cross(a: Any, b: Any) -> Any:
    """Cross product of two vectors of 3."""

def length(a: Any) -> float:
    """Euclidean length of a vector or quaternion. The gradient at 0 is 0."""

def length_sq(a: Any) -> float:
    """Square of the length of a vector or quaternion."""

def normalize(a: Any) -> Any:
    """A vector or quaternion divided by its length. The vector 0 stays 0 and the quaternion 0 becomes the identity, both with gradient 0."""

def norm_l1(v: Any) -> float:
    """Sum of the absolute values of the components of a vector, quaternion or transform."""

def norm_l2(v: Any) -> float:
    """Square root of the sum of the squares of the components of a vector, quaternion or transform."""

def norm_huber(v: Any, delta: float = ...) -> float:
    """Half the square of `norm_l2` where that is at most delta, and beyond it the straight continuation."""

def norm_pseudo_huber(v: Any, delta: float = ...) -> float:
    """`delta * sqrt(1 + |v|^2 / delta^2)`: smooth everywhere, like the length far from 0."""

def smooth_normalize(v: Any, delta: float = ...) -> Any:
    """A vector, quaternion or transform divided by `norm_pseudo_huber(v, delta)`: smooth also at 0."""

def cw_mul(a: Any, b: Any) -> Any:
    """Product component by component."""

def cw_div(a: Any, b: Any) -> Any:
    """Quotient component by component; of integers the whole part, towards 0, and 0 where b is 0."""

def outer(a: Any, b: Any) -> Any:
    """Matrix of the products of each component of a (rows) with each of b (columns)."""

def skew(vec: Any) -> Any:
    """The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`."""

def argmin(a: Any) -> int:
    """Index of the smallest component, the first of equals."""

def argmax(a: Any) -> int:
    """Index of the largest component, the first of equals."""

def extract(a: Any, *index: int) -> Any:
    """A component, or a row of a matrix, as `a[i]` and `a[i, j]`."""

@overload
def vector(x: float, *more: float) -> Any:
    """A vector of the components given; of one number for all of them, of zeros, or of the components of another vector, converted to dtype. Without a length it has as many components as are given."""
@overload
def vector(*args: Any, length: Any = ..., dtype: Any = ...) -> Any: ...

def transpose(a: Any) -> Any:
    """Rows as columns."""

def determinant(a: Any) -> float:
    """Determinant of a square matrix of up to 4 rows."""

def inverse(a: Any) -> Any:
    """Inverse of a square matrix of up to 4 rows; all 0 where the determinant is 0."""

def inverse_approx(a: Any) -> Any:
    """As `inverse`; a device may compute it faster and less exactly."""

def trace(a: Any) -> float:
    """Sum of the diagonal of a square matrix."""

def diag(vec: Any) -> Any:
    """Square matrix with a vector on its diagonal and 0 elsewhere."""

def get_diag(mat: Any) -> Any:
    """The diagonal of a square matrix."""

def identity(n: int, dtype: type = ...) -> Any:
    """Square matrix with 1 on its diagonal and 0 elsewhere. The size must be known when compiling."""

def matrix(*args: Any, shape: Any = ..., dtype: Any = ...) -> Any:
    """A matrix of the components given, row by row; of one number for all of them, of zeros, or of the components of another matrix, converted to dtype."""

def matrix_from_rows(row: Any, *more: Any) -> Any:
    """Matrix of the row vectors given."""

def matrix_from_cols(column: Any, *more: Any) -> Any:
    """Matrix of the column vectors given."""

@overload
def svd2(A: Any) -> tuple[Any, Any, Any]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as 0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`."""
@overload
def svd2(A: Any, U: Any, sigma: Any, V: Any) -> None: ...

@overload
def svd3(A: Any) -> tuple[Any, Any, Any]:
    """Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two singular values are equal up to rounding, or add up to zero, are as those of `svd2`."""
@overload
def svd3(A: Any, U: Any, sigma: Any, V: Any) -> None: ...

@overload
def qr3(A: Any) -> tuple[Any, Any]:
    """`A = Q R` of a 3 x 3 matrix: Q is a rotation, R an upper triangle whose first two diagonal components are not negative. With variables for the factors, these get them. The gradient needs the first two columns of A to be independent: where they are not, the components of the derivative that do not exist count as 0."""
@overload
def qr3(A: Any, Q: Any, R: Any) -> None: ...

@overload
def eig3(A: Any) -> tuple[Any, Any]:
    """Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their difference counts as 0. That is right for what depends on d, in any order."""
@overload
def eig3(A: Any, Q: Any, d: Any) -> None: ...

@overload
def quaternion(x: float, y: float, z: float, w: float, dtype: Any = ...) -> Any:
    """A quaternion of its components, of its vector and scalar parts, of zeros, or of the components of another one, converted to dtype."""
@overload
def quaternion(ijk: Any, real: float, dtype: Any = ...) -> Any: ...
@overload
def quaternion(quat: Any, dtype: Any = ...) -> Any: ...
@overload
def quaternion(dtype: Any = ...) -> Any: ...

def quat_identity(dtype: type = ...) -> Any:
    """The quaternion (0, 0, 0, 1), which rotates nothing."""

def quat_from_axis_angle(axis: Any, angle: float) -> Any:
    """Rotation about an axis, which must have length 1, by an angle in radians."""

@overload
def quat_to_axis_angle(quat: Any) -> tuple[Any, float]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these get the results."""
@overload
def quat_to_axis_angle(quat: Any, axis: Any, angle: float) -> None: ...

def quat_from_matrix(mat: Any) -> Any:
    """Unit quaternion of a rotation matrix, or of the first three rows and columns of a transformation."""

def quat_to_matrix(quat: Any) -> Any:
    """Matrix that rotates column vectors as the quaternion does."""

def quat_rotate(quat: Any, vec: Any) -> Any:
    """A vector rotated by a unit quaternion."""

def quat_rotate_inv(quat: Any, vec: Any) -> Any:
    """A vector rotated by the inverse of a unit quaternion."""

def quat_inverse(quat: Any) -> Any:
    """The opposite rotation of a unit quaternion: its vector part with the other sign."""

def quat_rpy(roll: float, pitch: float, yaw: float) -> Any:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""

def quat_to_rpy(q: Any) -> Any:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""

def quat_slerp(a: Any, b: Any, t: float) -> Any:
    """Between two unit quaternions at constant angular speed, the shorter way round: a for t = 0, b (or -b) for t = 1."""

def quat_from_euler(e: Any, i: int, j: int, k: int) -> Any:
    """Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e."""

def quat_to_euler(q: Any, i: int, j: int, k: int) -> Any:
    """The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each in the component of its axis. Where k is i again, the last angle stands in the component of the axis that is left. Where the first and the last turn about one axis, the first is 0."""

def quat_twist(axis: Any, q: Any) -> Any:
    """The part of a rotation that turns about an axis, which must have length 1."""

def quat_twist_angle(axis: Any, q: Any) -> float:
    """The angle of `quat_twist`, from 0 to 2 pi."""

def quat_twist_angle_signed(axis: Any, q: Any) -> float:
    """The angle by which `quat_twist` turns about the axis, from -2 pi to 2 pi."""

def quat_between_vectors(a: Any, b: Any) -> Any:
    """The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about an axis across them."""

@overload
def transformation(p: Any, q: Any) -> Any:
    """A transform of a position and a rotation (none: the identity), of its seven components, of one number for all of them, or of another transform; zeros without arguments. With `dtype`, with components of that type."""
@overload
def transformation(p: Any) -> Any: ...
@overload
def transformation(px: float, py: float, pz: float, qx: float, qy: float, qz: float, qw: float) -> Any: ...
@overload
def transformation(p: Any, q: Any, dtype: type) -> Any: ...
@overload
def transformation(px: float, py: float, pz: float, qx: float, qy: float, qz: float, qw: float, dtype: type) -> Any: ...

def transform_identity(dtype: type = ...) -> Any:
    """The transform that changes nothing: position 0, rotation (0, 0, 0, 1)."""

def transform_get_translation(xform: Any) -> Any:
    """The position of a transform, as `xform.p`."""

def transform_get_rotation(xform: Any) -> Any:
    """The rotation of a transform, as `xform.q`."""

def transform_set_translation(xform: Any, p: Any) -> None:
    """Gives a variable that is a transform another position, as `xform.p = p`."""

def transform_set_rotation(xform: Any, q: Any) -> None:
    """Gives a variable that is a transform another rotation, as `xform.q = q`."""

def transform_multiply(a: Any, b: Any) -> Any:
    """The transform that does b first, then a, as `a * b`."""

def transform_inverse(xform: Any) -> Any:
    """The transform that undoes one whose rotation has length 1."""

def transform_point(xform: Any, point: Any) -> Any:
    """A point rotated, then shifted by a transform; or the first three components of a 4 x 4 matrix times the point with a fourth component 1, without division."""

def transform_vector(xform: Any, vec: Any) -> Any:
    """A direction rotated by a transform and not shifted; or the first three components of a 4 x 4 matrix times the vector with a fourth component 0."""

def transform_to_matrix(xform: Any) -> Any:
    """The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points."""

def transform_from_matrix(mat: Any) -> Any:
    """The transform of a 4 x 4 matrix whose first three columns are those of a rotation."""

def transform_compose(position: Any, rotation: Any, scale: Any) -> Any:
    """The 4 x 4 matrix that scales along the axes, then rotates, then shifts."""

def transform_decompose(mat: Any) -> tuple[Any, Any, Any]:
    """Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so they are not negative."""

def spatial_top(svec: Any) -> Any:
    """The angular part of a spatial vector: its first three components."""

def spatial_bottom(svec: Any) -> Any:
    """The linear part of a spatial vector: its last three components."""

def spatial_dot(a: Any, b: Any) -> float:
    """Inner product of two spatial vectors."""

def spatial_cross(a: Any, b: Any) -> Any:
    """How a motion b changes that moves with a: (wa x wb, va x wb + wa x vb)."""

def spatial_cross_dual(a: Any, b: Any) -> Any:
    """How a force b changes that moves with a: (wa x wb + va x vb, wa x vb)."""

def spatial_adjoint(r: Any, s: Any) -> Any:
    """The 6 x 6 matrix with r in both diagonal blocks, s below and 0 above."""

def velocity_at_point(qd: Any, r: Any) -> Any:
    """Velocity of the point at r of a body that moves with the spatial velocity qd: w x r + v."""

def transform_twist(t: Any, x: Any) -> Any:
    """A spatial velocity in the frame that a transform leads to: (R w, R v + p x R w)."""

def transform_wrench(t: Any, x: Any) -> Any:
    """A spatial force in the frame that a transform leads to: (R w + p x R v, R v)."""

def closest_point_edge_edge(p1: Any, q1: Any, p2: Any, q2: Any, epsilon: float) -> Any:
    """The points of two segments, from p1 to q1 and from p2 to q2, that are closest to each other: the weights s and t of p1 + s (q1 - p1) and p2 + t (q2 - p2), from 0 to 1, and their distance. A segment whose squared length is epsilon or less is its first point. Source: Ericson, Real-Time Collision Detection (2005), 5.1.9."""

def intersect_tri_tri(v0: Any, v1: Any, v2: Any, u0: Any, u1: Any, u2: Any) -> int:
    """Whether two triangles, (v0, v1, v2) and (u0, u1, u2), have a point in common: 1 or 0. Triangles that touch have one. Triangles in one plane, and triangles that are segments or points, are tested alike. The result is 0 where a coordinate is infinite or NaN. Source: Gottschalk, Lin, Manocha, OBBTree (1996), separating axes."""

def add(a: Any, b: Any) -> Any:
    """Sum, as `a + b`."""

def sub(a: Any, b: Any) -> Any:
    """Difference, as `a - b`."""

def mul(a: Any, b: Any) -> Any:
    """Product, as `a * b`: of numbers; of a vector, matrix or quaternion and a number; of matrices (also written `a @ b`); of a matrix and a column vector; of a row vector and a matrix; of quaternions; of transforms."""

def div(a: Any, b: Any) -> Any:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""

def div_approx(a: Any, b: Any) -> Any:
    """As `div` for floats; a device may compute it faster and less exactly."""

def floordiv(a: float, b: float) -> float:
    """Quotient rounded down, as `a // b`; of integers 0 where b is 0. No gradient."""

def mod(a: Any, b: Any) -> Any:
    """What is left of a after taking b out of it a whole number of times, with the sign of a, as `a % b` (in Python the sign is that of b); of integers 0 where b is 0."""

def neg(x: Any) -> Any:
    """Each component with the other sign, as `-x`."""

def pos(x: Any) -> Any:
    """x itself, as `+x`."""

def tid() -> Any:
    """Index of the thread in the launch; assigned to several names, one index for each dimension."""

def block_dim() -> int:
    """How many threads the launch wants a block of the GPU to have; 1 on the CPU."""

@overload
def lower_bound(arr: Any, value: float) -> int:
    """Index of the first element of a sorted array that is not below a value, or of the last element if all are; of those from arr_begin up to arr_end only, where these are given. The array has one dimension."""
@overload
def lower_bound(arr: Any, arr_begin: int, arr_end: int, value: float) -> int: ...

@overload
def atomic_add(arr: Any, i: Any, value: Any) -> Any:
    """Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."""
@overload
def atomic_add(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_add(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_add(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_sub(arr: Any, i: Any, value: Any) -> Any:
    """Subtracts from an element of an array in one step; gives what was there before."""
@overload
def atomic_sub(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_sub(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_sub(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_min(arr: Any, i: Any, value: Any) -> Any:
    """Lowers an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_min(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_min(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_min(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_max(arr: Any, i: Any, value: Any) -> Any:
    """Raises an element of an array to a value in one step; gives what was there before."""
@overload
def atomic_max(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_max(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_max(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_and(arr: Any, i: Any, value: Any) -> Any:
    """Keeps those bits of an integer element of an array that are set in a value too, in one step; gives what was there before. No gradient."""
@overload
def atomic_and(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_and(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_and(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_or(arr: Any, i: Any, value: Any) -> Any:
    """Sets those bits of an integer element of an array that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_or(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_or(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_or(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_xor(arr: Any, i: Any, value: Any) -> Any:
    """Turns those bits of an integer element of an array over that are set in a value, in one step; gives what was there before. No gradient."""
@overload
def atomic_xor(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_xor(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_xor(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_exch(arr: Any, i: Any, value: Any) -> Any:
    """Writes an element of an array in one step; gives what was there before. No gradient."""
@overload
def atomic_exch(arr: Any, i: Any, j: Any, value: Any) -> Any: ...
@overload
def atomic_exch(arr: Any, i: Any, j: Any, k: Any, value: Any) -> Any: ...
@overload
def atomic_exch(arr: Any, i: Any, j: Any, k: Any, l: Any, value: Any) -> Any: ...

@overload
def atomic_cas(arr: Any, i: Any, compare: Any, value: Any) -> Any:
    """Writes an element of an array in one step if it equals a value; gives what was there before. Vectors and matrices must be equal in all components, which are then written one after the other: other threads may see some of them. No gradient."""
@overload
def atomic_cas(arr: Any, i: Any, j: Any, compare: Any, value: Any) -> Any: ...
@overload
def atomic_cas(arr: Any, i: Any, j: Any, k: Any, compare: Any, value: Any) -> Any: ...
@overload
def atomic_cas(arr: Any, i: Any, j: Any, k: Any, l: Any, compare: Any, value: Any) -> Any: ...

@overload
def rand_init(seed: int) -> int:
    """The state of a random number generator, a uint32. Threads draw different numbers if each gives its index as `offset`. Every draw gives the state another value, in the variable of the caller."""
@overload
def rand_init(seed: int, offset: int) -> int: ...

@overload
def randi(state: int) -> int:
    """A random integer: any int32, or one in [low, high)."""
@overload
def randi(state: int, low: int, high: int) -> int: ...

@overload
def randu(state: int) -> int:
    """A random unsigned integer: any uint32, or one in [low, high)."""
@overload
def randu(state: int, low: int, high: int) -> int: ...

@overload
def randf(state: int) -> float:
    """A random float in [0, 1), or in [low, high). With a gradient by low and high."""
@overload
def randf(state: int, low: float, high: float) -> float: ...

def randn(state: int) -> float:
    """A random float of the normal distribution with mean 0 and variance 1. Two draws."""

def sample_cdf(state: int, cdf: Any) -> int:
    """A random index of a cumulative distribution, an array of increasing float32: the first one whose content is not below a random number in [0, 1); the length of the array if there is none."""

def poisson(state: int, lam: float) -> int:
    """A random number of the Poisson distribution with mean `lam`: how often something happens that happens `lam` times on average. How many draws it takes depends on them."""

def sample_triangle(state: int) -> Any:
    """Two barycentric coordinates of a random point of a triangle; the third is 1 minus both."""

def sample_unit_ring(state: int) -> Any:
    """A random point on the circle of radius 1."""

def sample_unit_disk(state: int) -> Any:
    """A random point in the disk of radius 1."""

def sample_unit_sphere_surface(state: int) -> Any:
    """A random point on the sphere of radius 1."""

def sample_unit_sphere(state: int) -> Any:
    """A random point in the ball of radius 1."""

def sample_unit_hemisphere_surface(state: int) -> Any:
    """A random point on the half of the unit sphere with z >= 0."""

def sample_unit_hemisphere(state: int) -> Any:
    """A random point in the half of the unit ball with z >= 0."""

def sample_unit_square(state: int) -> Any:
    """A random point in the square [-0.5, 0.5) x [-0.5, 0.5)."""

def sample_unit_cube(state: int) -> Any:
    """A random point in the cube [-0.5, 0.5) x [-0.5, 0.5) x [-0.5, 0.5)."""

def noise(state: int, x: Any) -> float:
    """Perlin noise: a smooth random function of a point, 0 where all coordinates are whole. The state is the seed; it does not change."""

@overload
def pnoise(state: int, x: float, px: int) -> float:
    """Perlin noise that repeats after a whole number of units along each axis, on either side of 0 but not across it."""
@overload
def pnoise(state: int, xy: Any, px: int, py: int) -> float: ...
@overload
def pnoise(state: int, xyz: Any, px: int, py: int, pz: int) -> float: ...
@overload
def pnoise(state: int, xyzt: Any, px: int, py: int, pz: int, pt: int) -> float: ...

def curlnoise(state: int, xy: Any, octaves: int = ..., lacunarity: float = ..., gain: float = ...) -> Any:
    """A vector field without divergence: the curl of Perlin noise, with time as the fourth coordinate. Each further octave has its frequency multiplied by `lacunarity` and its strength by `gain`."""

def expect_eq(a: Any, b: Any) -> None:
    """Prints both values if they differ in any component; NaN differs from everything. The kernel goes on."""

def expect_neq(a: Any, b: Any) -> None:
    """Prints both values if they are equal. The kernel goes on."""

def expect_near(a: Any, b: Any, tolerance: float = ...) -> None:
    """Prints both values if a component of one is further from that of the other than the tolerance, or is NaN. The kernel goes on."""

def printf(fmt: str, *args: Any) -> None:
    """Prints in the manner of C: `%d` and `%i` (signed), `%u`, `%x`, `%o`, `%c` take integers, `%f`, `%e`, `%g` floats, `%s` string literals; flags, width and precision as in C. Lengths such as `l` are not needed."""

