# SPDX-License-Identifier: Apache-2.0
"""Damages to the bytes of a file: (data, random, path) -> data."""


def flip(data, random, path):
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data


def flips(data, random, path):
    for _ in range(random.randint(2, 40)):
        flip(data, random, path)
    return data


def span(data, random, most=4096):
    size = random.randint(1, min(most, max(1, len(data) // 2)))
    return random.randrange(len(data) - size + 1), size


def blank(data, random, path):
    first, size = span(data, random)
    data[first:first + size] = bytes(size)
    return data


def noise(data, random, path):
    first, size = span(data, random)
    data[first:first + size] = random.randbytes(size)
    return data


def cut(data, random, path):
    return data[:random.choice((random.randrange(len(data)), len(data) - random.randint(1, 64)))]


def grow(data, random, path):
    return data + random.randbytes(random.randint(1, 5000))


def swap(data, random, path):
    size = random.choice((8, 64, 512, 1024))
    if len(data) < 2 * size:
        return flip(data, random, path)
    a, b = sorted((random.randrange(len(data) // size), random.randrange(len(data) // size)))
    a, b = a * size, b * size
    data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]
    return data
