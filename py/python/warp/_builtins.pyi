# Made from the table of builtins: `BLESS=1 cargo test -p warp-core` writes it anew.

from typing import Any, overload

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

def bit_and(a: int, b: int) -> int:
    """Bits that are set in both, as `a & b`."""

def bit_or(a: int, b: int) -> int:
    """Bits that are set in either, as `a | b`."""

def bit_xor(a: int, b: int) -> int:
    """Bits that are set in one of the two, as `a ^ b`."""

def lshift(a: int, b: int) -> int:
    """a with its bits moved up by b, as `a << b`; 0 if b is negative or not below the width."""

def rshift(a: int, b: int) -> int:
    """a with its bits moved down by b, keeping the sign, as `a >> b`."""

def invert(a: int) -> int:
    """Every bit turned over, as `~a`."""

def frac(x: float) -> float:
    """What is left of x without its integer part, with the sign of x."""

def degrees(x: float) -> float:
    """Radians in degrees."""

def radians(x: float) -> float:
    """Degrees in radians."""

def isnan(x: Any) -> bool:
    """Whether x, or any component of it, is NaN."""

def isinf(x: Any) -> bool:
    """Whether x, or any component of it, is infinite."""

def isfinite(x: Any) -> bool:
    """Whether x, or every component of it, is neither infinite nor NaN."""

def abs(x: Any) -> Any:
    """Absolute value of each component. The slope at 0 is 1."""

def sign(x: Any) -> Any:
    """-1 for each component below 0, else 1. No gradient."""

@overload
def min(x: Any, y: Any) -> Any:
    """The smaller of two, by component for vectors; the smallest component of one vector; the smallest of several. NaN if any is NaN. The gradient goes to the first of equals."""
@overload
def min(v: Any) -> float: ...
@overload
def min(x: float, y: float, *more: float) -> float: ...

@overload
def max(x: Any, y: Any) -> Any:
    """The larger of two, by component for vectors; the largest component of one vector; the largest of several. NaN if any is NaN. The gradient goes to the first of equals."""
@overload
def max(v: Any) -> float: ...
@overload
def max(x: float, y: float, *more: float) -> float: ...

def clamp(x: float, low: float, high: float) -> float:
    """x, but not below `low` and not above `high`; `high` where low > high."""

def step(x: float) -> float:
    """1 if x is below 0, else 0. No gradient."""

def nonzero(x: float) -> float:
    """0 if x is 0, else 1. No gradient."""

def where(cond: float, value_if_true: Any, value_if_false: Any) -> Any:
    """One of two values. Both are computed; use `if` where one of them must not be."""

def lerp(a: Any, b: Any, t: float) -> Any:
    """Linear between a (t = 0) and b (t = 1), and beyond."""

def smoothstep(a: float, b: float, x: float) -> float:
    """0 up to a, 1 from b on, and a cubic without kinks between them."""

def unot(a: float) -> bool:
    """Whether a is 0, as `not a`."""

def dot(a: Any, b: Any) -> float:
    """Inner product of two vectors or quaternions."""

def ddot(a: Any, b: Any) -> float:
    """Sum of the products of the components of two matrices."""

def cross(a: Any, b: Any) -> Any:
    """Cross product of two vectors of 3."""

def length(x: Any) -> float:
    """Euclidean length of a vector or quaternion. The gradient at 0 is 0."""

def length_sq(x: Any) -> float:
    """Square of the length of a vector or quaternion."""

def normalize(x: Any) -> Any:
    """A vector or quaternion divided by its length. The vector 0 stays 0 and the quaternion 0 becomes the identity, both with gradient 0."""

def norm_l1(v: Any) -> float:
    """Sum of the absolute values of a vector's components."""

def norm_l2(v: Any) -> float:
    """Euclidean length of a vector, as `length`."""

def norm_huber(v: Any, delta: float = ...) -> float:
    """Half the square of a vector's length where that is at most delta, and beyond it the straight continuation."""

def norm_pseudo_huber(v: Any, delta: float = ...) -> float:
    """`delta * sqrt(1 + |v|^2 / delta^2)`: smooth everywhere, like the length far from 0."""

def smooth_normalize(v: Any, delta: float = ...) -> Any:
    """A vector divided by `norm_pseudo_huber(v, delta)`: smooth also at 0."""

def cw_mul(a: Any, b: Any) -> Any:
    """Product component by component."""

def cw_div(a: Any, b: Any) -> Any:
    """Quotient component by component."""

def outer(a: Any, b: Any) -> Any:
    """Matrix of the products of each component of a (rows) with each of b (columns)."""

def skew(v: Any) -> Any:
    """The matrix that multiplies as the cross product with v does: `skew(v) * w == cross(v, w)`."""

def argmin(v: Any) -> int:
    """Index of the smallest component, the first of equals."""

def argmax(v: Any) -> int:
    """Index of the largest component, the first of equals."""

def extract(a: Any, *index: int) -> Any:
    """A component, or a row of a matrix, as `a[i]` and `a[i, j]`."""

def vector(x: float, *more: float) -> Any:
    """A vector of the components given."""

def transpose(a: Any) -> Any:
    """Rows as columns."""

def determinant(a: Any) -> float:
    """Determinant of a square matrix of up to 4 rows."""

def inverse(a: Any) -> Any:
    """Inverse of a square matrix of up to 4 rows; all 0 where the determinant is 0."""

def trace(a: Any) -> float:
    """Sum of the diagonal of a square matrix."""

def diag(v: Any) -> Any:
    """Square matrix with a vector on its diagonal and 0 elsewhere."""

def get_diag(a: Any) -> Any:
    """The diagonal of a square matrix."""

def identity(n: int, dtype: type = ...) -> Any:
    """Square matrix with 1 on its diagonal and 0 elsewhere. The size must be known when compiling."""

def matrix_from_rows(row: Any, *more: Any) -> Any:
    """Matrix of the row vectors given."""

def matrix_from_cols(column: Any, *more: Any) -> Any:
    """Matrix of the column vectors given."""

@overload
def quaternion(x: float, y: float, z: float, w: float) -> Any:
    """A quaternion of its components, or of its vector and scalar parts."""
@overload
def quaternion(ijk: Any, real: float) -> Any: ...

def quat_identity(dtype: type = ...) -> Any:
    """The quaternion (0, 0, 0, 1), which rotates nothing."""

def quat_from_axis_angle(axis: Any, angle: float) -> Any:
    """Rotation about an axis, which must have length 1, by an angle in radians."""

def quat_to_axis_angle(q: Any) -> tuple[Any, float]:
    """Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0."""

def quat_from_matrix(m: Any) -> Any:
    """Unit quaternion of a rotation matrix."""

def quat_to_matrix(q: Any) -> Any:
    """Matrix that rotates column vectors as the quaternion does."""

def quat_rotate(q: Any, v: Any) -> Any:
    """A vector rotated by a unit quaternion."""

def quat_rotate_inv(q: Any, v: Any) -> Any:
    """A vector rotated by the inverse of a unit quaternion."""

def quat_inverse(q: Any) -> Any:
    """The opposite rotation of a unit quaternion: its vector part with the other sign."""

def quat_rpy(roll: float, pitch: float, yaw: float) -> Any:
    """Rotation by roll about x, then pitch about y, then yaw about z, in radians."""

def quat_to_rpy(q: Any) -> Any:
    """Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with."""

def quat_slerp(a: Any, b: Any, t: float) -> Any:
    """Between two unit quaternions at constant angular speed, the shorter way round: a for t = 0, b (or -b) for t = 1."""

def add(a: Any, b: Any) -> Any:
    """Sum, as `a + b`."""

def sub(a: Any, b: Any) -> Any:
    """Difference, as `a - b`."""

def mul(a: Any, b: Any) -> Any:
    """Product, as `a * b`: of numbers; of a vector, matrix or quaternion and a number; of matrices (also written `a @ b`); of a matrix and a column vector; of a row vector and a matrix; of quaternions."""

def div(a: Any, b: Any) -> Any:
    """Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a vector or matrix divides by each component."""

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

def atomic_add(arr: Any, *index_and_value: Any) -> Any:
    """Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."""

def atomic_sub(arr: Any, *index_and_value: Any) -> Any:
    """Subtracts from an element of an array in one step; gives what was there before."""

def atomic_min(arr: Any, *index_and_value: Any) -> Any:
    """Lowers an element of an array to a value in one step; gives what was there before."""

def atomic_max(arr: Any, *index_and_value: Any) -> Any:
    """Raises an element of an array to a value in one step; gives what was there before."""

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

def printf(format: str, *values: Any) -> None:
    """Prints in the manner of C: `%d` and `%i` (signed), `%u`, `%x`, `%o`, `%c` take integers, `%f`, `%e`, `%g` floats, `%s` string literals; flags, width and precision as in C. Lengths such as `l` are not needed."""

