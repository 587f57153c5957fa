# SPDX-License-Identifier: Apache-2.0
"""Comparison of the files that rill writes: HDF5 bit by bit, JSON and tables but for measured times, whole directories."""
import json
import pathlib

# Attributes that hold the command, which names other files and --resume, and not what was computed.
COMMAND = frozenset(("command", "options", "source_options"))
# Keys of JSON that hold measured times and speeds, the command, how many steps a resumed run did not make itself, and what limits the time step, which is a checkpoint for such a run.
MEASURED = frozenset(("command", "performance", "steps_resumed", "time_step_limit", "seconds", "mlups", "device_bytes_free", "host_peak_bytes"))


def _attributes(a, b, where, ignored):
    names = (set(a.attrs) | set(b.attrs)) - ignored
    for name in sorted(names):
        if name not in a.attrs or name not in b.attrs:
            yield "%s has the attribute %s in one file alone" % (where, name)
        elif not _references(a.attrs[name]) and _bytes(a.attrs[name]) != _bytes(b.attrs[name]):
            yield "%s: attribute %s differs" % (where, name)


def _references(value):
    """Whether a value refers to objects (dimension scales): its bytes are addresses in the file."""
    return getattr(value, "dtype", None) is not None and value.dtype.kind in "OV" and not isinstance(value, str)


def _bytes(value):
    return value.tobytes() if hasattr(value, "tobytes") else str(value).encode()


def compare_hdf5(a, b, ignored=COMMAND, only=None):
    """Compare two HDF5 files bit by bit. @return the differences as sentences"""
    import h5py
    found = []
    with h5py.File(a, "r") as x, h5py.File(b, "r") as y:
        found += _attributes(x, y, "/", ignored)
        names = [set(), set()]
        for file, into in ((x, names[0]), (y, names[1])):
            file.visit(into.add)
        for name in sorted(names[0] ^ names[1]):
            found.append("/%s is in one file alone" % name)
        for name in sorted(names[0] & names[1]):
            if only and not only(name):
                continue
            found += _attributes(x[name], y[name], "/" + name, ignored)
            if isinstance(x[name], h5py.Dataset):
                p, q = x[name], y[name]
                if p.shape != q.shape or p.dtype != q.dtype:
                    found.append("/%s has another shape or type" % name)
                elif p[()].tobytes() != q[()].tobytes():
                    found.append("/%s differs" % name)
    return found


def _plain(value, ignored):
    if isinstance(value, dict):
        return {k: _plain(v, ignored) for k, v in value.items() if k not in ignored}
    return [_plain(v, ignored) for v in value] if isinstance(value, list) else value


def compare_json(a, b, ignored=MEASURED):
    """Compare two JSON files but for measured times. @return the differences as sentences"""
    x, y = (_plain(json.loads(pathlib.Path(p).read_text()), ignored) for p in (a, b))
    if x == y:
        return []
    if isinstance(x, dict) and isinstance(y, dict):
        return ["key %s differs" % k for k in sorted(set(x) | set(y)) if x.get(k) != y.get(k)]
    return ["the documents differ"]


def table(path):
    """Return the rows of a table of a batch without measured seconds, and the hash that covers them."""
    import csv
    with open(path, newline="") as file:
        return [{k: v for k, v in row.items() if not k.startswith("seconds") and k != "row_xxh3_64"} for row in csv.DictReader(file)]


def compare_table(a, b):
    """Compare two such tables. @return the differences as sentences"""
    return [] if table(a) == table(b) else ["another table"]


def compare(a, b, skip=lambda name: False, ignored=frozenset()):
    """Compare two directories of results. @param skip  files that may differ; @param ignored  further attributes and keys that
    may. @return the differences as sentences"""
    a, b = pathlib.Path(a), pathlib.Path(b)
    names = [{str(p.relative_to(d)) for p in d.rglob("*") if p.is_file() and not skip(p.name)} for d in (a, b)]
    found = ["%s is there once alone" % name for name in sorted(names[0] ^ names[1])]
    for name in sorted(names[0] & names[1]):
        if name.endswith((".h5", ".vtkhdf")):
            found += ["%s: %s" % (name, s) for s in compare_hdf5(a / name, b / name, COMMAND | ignored)]
        elif name.endswith(".json"):
            found += ["%s: %s" % (name, s) for s in compare_json(a / name, b / name, MEASURED | ignored)]
        elif (a / name).read_bytes() != (b / name).read_bytes():
            found.append("%s differs" % name)
    return found
