"""Distance of two hulls: Gilbert, Johnson and Keerthi's search, begun where the last one for the pair ended; compiled.

A hull is a set of core points swept by a ball. Where two cores overlap, they are shrunk about their centres until they
only touch: from that scale follows how far they must move along the line of their centres to part.

The search works on a simplex of up to four corners, each the way from a point of the first core to one of the second.
`simplex` (4, 10) holds for each corner: the way, the point seen from the first body's centre, the other seen from the
second's, world axes, and the corner's share in the simplex' point that is nearest to the origin. `index` (4, 2) holds
the rows of both points. Functions take arrays, not records of them: a record costs more to hand over than a search.
"""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel

SEARCHES = 30
GROWTHS = 12
TOUCHING_M = 1e-8
"""cores that are no further apart than this count as overlapping"""


@kernel
def farthest(point, first, rotation, s, x, y, z):
    """The core point of body s that is farthest along (x, y, z), world axes."""
    a = rotation[s, 0, 0] * x + rotation[s, 1, 0] * y + rotation[s, 2, 0] * z
    b = rotation[s, 0, 1] * x + rotation[s, 1, 1] * y + rotation[s, 2, 1] * z
    c = rotation[s, 0, 2] * x + rotation[s, 1, 2] * y + rotation[s, 2, 2] * z
    best, at = -np.inf, first[s]
    for k in range(first[s], first[s + 1]):
        height = a * point[k, 0] + b * point[k, 1] + c * point[k, 2]
        if height > best:
            best, at = height, k
    return at


@kernel
def _set_corner(point, centre, rotation, a, b, scale, index, simplex, row):
    """Work out one corner from the points that `index` names, both bodies at `scale` of their size."""
    i, j = index[row, 0], index[row, 1]
    for k in range(3):
        p = rotation[a, k, 0] * point[i, 0] + rotation[a, k, 1] * point[i, 1] + rotation[a, k, 2] * point[i, 2]
        q = rotation[b, k, 0] * point[j, 0] + rotation[b, k, 1] * point[j, 1] + rotation[b, k, 2] * point[j, 2]
        simplex[row, 3 + k], simplex[row, 6 + k] = p, q
        simplex[row, k] = centre[b, k] - centre[a, k] + scale * (q - p)


@kernel
def _on_edge(S, i, j):
    """The point of an edge that is nearest to the origin: squared distance, inf where it is an end, and j's share."""
    square, along = 0.0, 0.0
    for k in range(3):
        edge = S[j, k] - S[i, k]
        square += edge * edge
        along -= edge * S[i, k]
    if along <= 0.0 or along >= square:
        return np.inf, 0.0
    t, found = along / square, 0.0
    for k in range(3):
        x = S[i, k] + t * (S[j, k] - S[i, k])
        found += x * x
    return found, t


@kernel
def _on_face(S, i, j, k):
    """Likewise for a triangle, with the shares of j and k; inf where the nearest point is on an edge."""
    ux, uy, uz = S[j, 0] - S[i, 0], S[j, 1] - S[i, 1], S[j, 2] - S[i, 2]
    vx, vy, vz = S[k, 0] - S[i, 0], S[k, 1] - S[i, 1], S[k, 2] - S[i, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = x * x + y * y + z * z
    if square <= 1e-14 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz):
        return np.inf, 0.0, 0.0
    height = (x * S[i, 0] + y * S[i, 1] + z * S[i, 2]) / square
    px, py, pz = x * height - S[i, 0], y * height - S[i, 1], z * height - S[i, 2]
    b = (x * (py * vz - pz * vy) + y * (pz * vx - px * vz) + z * (px * vy - py * vx)) / square
    c = (x * (uy * pz - uz * py) + y * (uz * px - ux * pz) + z * (ux * py - uy * px)) / square
    if b < 0.0 or c < 0.0 or b + c > 1.0:
        return np.inf, 0.0, 0.0
    return height * height * square, b, c


@kernel
def _inner(S, i, j, k, m):
    """Whether corner m and the origin lie on the same side of the face of the others."""
    ux, uy, uz = S[j, 0] - S[i, 0], S[j, 1] - S[i, 1], S[j, 2] - S[i, 2]
    vx, vy, vz = S[k, 0] - S[i, 0], S[k, 1] - S[i, 1], S[k, 2] - S[i, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(x * S[i, 0] + y * S[i, 1] + z * S[i, 2])
    return origin * (x * S[m, 0] + y * S[m, 1] + z * S[m, 2] + origin) > 0.0


@kernel
def _reduce(index, simplex, count):
    """Keep only the corners that hold the point nearest to the origin, with their shares.

    Returns how many they are, or 0 where the origin is inside, and all are kept.
    """
    S, best = simplex, np.inf
    a, b, c, u, v = 0, -1, -1, 0.0, 0.0
    for i in range(count):
        found = S[i, 0] * S[i, 0] + S[i, 1] * S[i, 1] + S[i, 2] * S[i, 2]
        if found < best:
            best, a = found, i
    for i in range(count):
        for j in range(i + 1, count):
            found, t = _on_edge(S, i, j)
            if found < best:
                best, a, b, u = found, i, j, t
    for i in range(count - 2):
        for j in range(i + 1, count - 1):
            for k in range(j + 1, count):
                found, s, t = _on_face(S, i, j, k)
                if found < best:
                    best, a, b, c, u, v = found, i, j, k, s, t
    if (
        count == 4
        and _inner(S, 0, 1, 2, 3)
        and _inner(S, 0, 1, 3, 2)
        and _inner(S, 0, 2, 3, 1)
        and _inner(S, 1, 2, 3, 0)
    ):
        return 0
    kept = 0
    for i in range(count):  # a < b < c, so that none is overwritten before it is moved
        if i in (a, b, c):
            for k in range(9):
                S[kept, k] = S[i, k]
            index[kept, 0], index[kept, 1] = index[i, 0], index[i, 1]
            S[kept, 9] = u if i == b else (v if i == c else 1.0 - u - v)
            kept += 1
    return kept


@kernel
def core_distance(point, first, centre, rotation, a, b, scale, enough, index, simplex, count, normal):
    """Distance of two cores at `scale` of their size, from the simplex whose `count` corners `index` names.

    Returns (distance, corners of the last simplex): 0 where they overlap; where it is beyond `enough`, a lower bound
    above that. `normal` becomes the way from a to b, unit; where they overlap, it means nothing.
    """
    for row in range(count):
        _set_corner(point, centre, rotation, a, b, scale, index, simplex, row)
    distance = 0.0
    for _ in range(SEARCHES):
        kept = _reduce(index, simplex, count)
        if kept == 0:
            return 0.0, count
        count = kept
        x, y, z = 0.0, 0.0, 0.0
        for row in range(count):
            x += simplex[row, 9] * simplex[row, 0]
            y += simplex[row, 9] * simplex[row, 1]
            z += simplex[row, 9] * simplex[row, 2]
        distance = np.sqrt(x * x + y * y + z * z)
        if distance <= TOUCHING_M:
            return 0.0, count
        x, y, z = x / distance, y / distance, z / distance
        normal[0], normal[1], normal[2] = x, y, z
        i, j = farthest(point, first, rotation, a, x, y, z), farthest(point, first, rotation, b, -x, -y, -z)
        known = count == 4
        for row in range(count):
            known = known or (index[row, 0] == i and index[row, 1] == j)
        if known:
            break
        index[count, 0], index[count, 1] = i, j
        _set_corner(point, centre, rotation, a, b, scale, index, simplex, count)
        bound = x * simplex[count, 0] + y * simplex[count, 1] + z * simplex[count, 2]
        if bound > enough:
            return bound, count
        if distance - bound <= 1e-9 * distance + 1e-12:
            break
        count += 1
    return distance, count


@kernel
def nearest_points(simplex, count, found):
    """The points of both cores that the simplex holds to be nearest, from their centres, into `found` (2, 3)."""
    for side in range(2):
        for k in range(3):
            found[side, k] = 0.0
            for row in range(count):
                found[side, k] += simplex[row, 9] * simplex[row, 3 + 3 * side + k]


@kernel
def core_depth(point, first, centre, rotation, a, b, index, simplex, normal, found):
    """How far overlapping cores must move along the line of their centres to part, as a negative distance.

    Returns it with the corners of the last simplex. `normal` and `found` are those of the place where the bodies touch
    at the largest scale at which they do not overlap. That scale is found from below: each separating direction is
    good up to the scale at which it no longer separates.
    """
    dx, dy, dz = centre[b, 0] - centre[a, 0], centre[b, 1] - centre[a, 1], centre[b, 2] - centre[a, 2]
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    if length < 1e-9:
        dz = length = 1e-9
    x, y, z, scale, count = dx / length, dy / length, dz / length, 1e-9, 0
    for _ in range(GROWTHS):
        i, j = farthest(point, first, rotation, a, x, y, z), farthest(point, first, rotation, b, -x, -y, -z)
        if count == 0:
            index[0, 0], index[0, 1], simplex[0, 9], count = i, j, 1.0, 1
            _set_corner(point, centre, rotation, a, b, 1.0, index, simplex, 0)
            nearest_points(simplex, 1, found)
        size = 0.0
        for k in range(3):
            along = rotation[a, k, 0] * point[i, 0] + rotation[a, k, 1] * point[i, 1] + rotation[a, k, 2] * point[i, 2]
            along -= rotation[b, k, 0] * point[j, 0] + rotation[b, k, 1] * point[j, 1] + rotation[b, k, 2] * point[j, 2]
            size += (x if k == 0 else (y if k == 1 else z)) * along
        larger = min((x * dx + y * dy + z * dz) / max(size, 1e-9), 1.0)
        if larger <= scale * (1.0 + 1e-7):
            break
        scale = larger
        apart, count = core_distance(
            point, first, centre, rotation, a, b, scale, np.inf, index, simplex, min(count, 3), normal
        )
        if apart == 0.0:
            break
        x, y, z = normal[0], normal[1], normal[2]
        nearest_points(simplex, count, found)
    normal[0], normal[1], normal[2] = x, y, z
    return length * (1.0 - 1.0 / scale), min(count, 3)
