"""Kernels of test_language.py: each writes what one construct gives; compiled together, once."""

import whitecap.capture as wp

NUMBER = 7
HALF = 0.5
BIG = 3_000_000_000
YES = True


@wp.struct
class Inner:
    weight: float
    place: wp.vec3


@wp.struct
class Outer:
    count: int
    inner: Inner
    data: wp.array(dtype=float)


@wp.kernel
def integers(a: wp.array(dtype=int), b: wp.array(dtype=int), out: wp.array2d(dtype=int)):
    i = wp.tid()
    x = a[i]
    y = b[i]
    out[i, 0] = x + y
    out[i, 1] = x - y
    out[i, 2] = x * y
    out[i, 3] = x // y
    out[i, 4] = x % y
    out[i, 5] = wp.floormod(x, y)
    out[i, 6] = x & y
    out[i, 7] = x | y
    out[i, 8] = x ^ y
    out[i, 9] = ~x
    out[i, 10] = -x
    out[i, 11] = abs(x)
    out[i, 12] = min(x, y)
    out[i, 13] = max(x, y)
    out[i, 14] = wp.clamp(x, -3, 3)
    out[i, 15] = wp.sign(x)
    out[i, 16] = x << 3
    out[i, 17] = x >> 1
    out[i, 18] = x**2
    out[i, 19] = x**3


@wp.kernel
def floats(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    x = a[i]
    y = b[i]
    out[i, 0] = x + y
    out[i, 1] = x - y
    out[i, 2] = x * y
    out[i, 3] = x / y
    out[i, 4] = x // y
    out[i, 5] = x % y
    out[i, 6] = wp.floormod(x, y)
    out[i, 7] = -x
    out[i, 8] = wp.abs(x)
    out[i, 9] = wp.sqrt(abs(x))
    out[i, 10] = wp.floor(x)
    out[i, 11] = wp.ceil(x)
    out[i, 12] = wp.trunc(x)
    out[i, 13] = wp.round(x)
    out[i, 14] = wp.rint(x)
    out[i, 15] = wp.sign(x)
    out[i, 16] = x**2
    out[i, 17] = x**4
    out[i, 18] = wp.where(x < y, x, y)
    out[i, 19] = x if x > y else y
    out[i, 20] = wp.lerp(x, y, 0.25)
    out[i, 21] = wp.frac(x)
    out[i, 22] = float(wp.isnan(x))


@wp.kernel
def transcendental(a: wp.array(dtype=wp.float64), out: wp.array2d(dtype=wp.float64)):
    i = wp.tid()
    x = a[i]
    out[i, 0] = wp.sin(x)
    out[i, 1] = wp.cos(x)
    out[i, 2] = wp.tan(x)
    out[i, 3] = wp.exp(x)
    out[i, 4] = wp.log(x)
    out[i, 5] = wp.pow(x, 1.5)
    out[i, 6] = wp.atan2(x, 2.0)
    out[i, 7] = wp.tanh(x)
    out[i, 8] = wp.cbrt(x)
    out[i, 9] = wp.log2(x)
    out[i, 10] = wp.asin(x * 0.1)
    out[i, 11] = x**0.3
    out[i, 12] = wp.degrees(x)
    out[i, 13] = wp.smoothstep(0.0, 4.0, x)


@wp.kernel
def casts(out: wp.array(dtype=wp.float64)):
    x = wp.float32(2.75)
    out[0] = wp.float64(int(x))
    out[1] = wp.float64(int(-x))
    out[2] = wp.float64(wp.uint8(300))
    out[3] = wp.float64(float(NUMBER) * HALF)
    out[4] = wp.float64(BIG)
    out[5] = wp.float64(int(YES) + 1)
    out[6] = wp.float64(wp.int64(NUMBER) * 1_000_000_000_000)
    out[7] = wp.float64(wp.int8(100) + wp.int8(100))
    out[8] = wp.float64(0.1)
    out[9] = wp.float64(wp.float32(0.1))
    out[10] = wp.float64(bool(NUMBER))
    out[11] = wp.float64(wp.uint32(0) - wp.uint32(1))


@wp.kernel
def control(out: wp.array(dtype=int), n: int):
    i = wp.tid()
    if i == 0:
        total = 0
        for k in range(n):
            if k % 2 == 0:
                continue
            if k > 7:
                break
            total += k
        out[0] = total
    elif i == 1:
        steps = 0
        value = 27
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        out[1] = steps
    elif i == 2:
        down = 0
        for k in range(10, 0, -3):
            down = down * 100 + k
        out[2] = down
    elif i == 3:
        out[3] = 1
        if n > 0:
            return
        out[3] = 2
    elif i == 4:
        seen = 0
        for k in range(4):
            if k == 0:
                last = 5
            seen = seen * 10 + last
            last = k
        out[4] = seen
    elif i == 5:
        bound = n
        turns = 0
        for _k in range(bound):
            bound = bound - 1
            turns = turns + 1
        out[5] = turns
    elif i == 6:
        out[6] = int(1 < n < 20) + 2 * int(1 < n < 5) + 4 * int((n == 9 and not n > 9) or False)
    else:
        n = n + 1
        out[7] = n


@wp.kernel
def vectors(out: wp.array(dtype=float), m: wp.array(dtype=wp.vec3)):
    a = wp.vec3(1.0, 2.0, 3.0)
    b = m[1]
    c = a * 2.0 + b / 2.0 - wp.vec3(1.0)
    out[0] = c.x
    out[1] = c[1]
    out[2] = wp.dot(a, b)
    out[3] = wp.length(wp.vec2(3.0, 4.0))
    d = wp.cross(a, b)
    out[4] = d.x
    out[5] = d.y
    out[6] = d.z
    d.x = 10.0
    d[1] = 11.0
    d.z += 1.0
    out[7] = d.x + d.y + d.z
    u = wp.normalize(wp.vec2(0.0, 5.0))
    out[8] = u.x + u.y
    m[0] = a
    m[2][1] = 8.0
    m[2].x = 9.0
    out[9] = float(a == wp.vec3(1.0, 2.0, 3.0)) + 2.0 * float(a != a)
    q = wp.mat22(1.0, 2.0, 3.0, 4.0)
    r = q @ wp.vec2(1.0, 1.0)
    out[10] = r.x * 10.0 + r.y
    out[11] = wp.determinant(q)
    out[12] = (wp.transpose(q) * q)[0, 1]
    q[1, 0] = 7.0
    out[13] = q[1, 0]
    out[14] = wp.max(a, b).y + wp.min(a, b).y


@wp.func
def total(s: Outer, scale: float):
    return s.inner.weight * scale + s.inner.place.z


@wp.func
def bump(a: wp.array(dtype=float), i: int):
    a[i] = a[i] + 100.0


@wp.func
def larger(x: float, y: float):
    if x > y:
        return x
    else:
        return y


@wp.kernel
def structs(s: Outer, elements: wp.array(dtype=Inner), out: wp.array(dtype=float)):
    out[0] = total(s, 2.0)
    copy = elements[1]
    copy.weight = 50.0
    out[1] = copy.weight + elements[1].weight
    elements[0].place.y = 6.0
    elements[2] = copy
    s.data[0] = 3.0
    bump(s.data, 1)
    out[2] = float(s.count) + s.data[2]
    fresh = Inner()
    out[3] = fresh.weight + fresh.place.x
    out[4] = larger(1.0, larger(2.5, 2.0))


@wp.kernel
def shapes(a: wp.array(dtype=int, ndim=4), out: wp.array(dtype=int)):
    i, j, k, m = wp.tid()
    a[i, j, k, m] = ((i * 10 + j) * 10 + k) * 10 + m
    if i + j + k + m == 0:
        out[0] = a.shape[0] * 1000 + a.shape[1] * 100 + a.shape[2] * 10 + a.shape[3]


@wp.kernel
def sums(a: wp.array(dtype=float), counts: wp.array(dtype=int), old: wp.array(dtype=int)):
    i = wp.tid()
    a[0] += 1.0
    a[1] -= 2.0
    old[i] = wp.atomic_add(counts, 0, 1)
    wp.atomic_max(counts, 1, i)
    wp.atomic_min(counts, 2, -i)
    wp.atomic_sub(counts, 3, 2)


@wp.kernel
def reserved(double: float, this: int, new: wp.array(dtype=float), k: float, index: int):
    register = double + float(this)
    c = k + float(index)
    wc = register + c
    new[0] = wc
