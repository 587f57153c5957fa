# SPDX-License-Identifier: Apache-2.0
"""What the campaigns of this directory share: options, trials with a seed and a time limit, runs of rill, comparison of
the files that rill writes, libraries to preload, results as JSON, defects planted on purpose.

A campaign is a program NAME with

    PROMISE = "What must hold, in a sentence."
    PLANTED = [common.Defect("What is broken.", "src/io/x.c", "text there", "text instead")]

    def trial(c, random, i):
        c.record("kind of trial", None or "sentence that says what did not hold", seconds=0.2)

    sys.exit(common.main(__doc__, "NAME", PROMISE, trial, count=200, short=8, planted=PLANTED))

`record` may be called several times in a trial. The random numbers of trial I depend on seed and I alone. Figures given
to `record` by name are kept as their largest value of the kind of trial. `short` trials are made by --short, in .ci/run, and with each
planted defect. With --jobs N processes make trials at the same time, each with a directory and `once` of its own.

Results hold the trials that were made, by seed and number: --add goes on behind the last of them, on any machine, until --count are made. `parts` say
which trials were made where. Where --json is a directory, results of CPUs and of GPUs have files of their own there.

A program that was packed with its libraries runs where LD_LIBRARY_PATH and UDUNITS2_XML_PATH say; preloaded libraries are compiled with cc there.
With --backend cuda the jobs share the GPUs, and RILL_NVRTC and CUDA_VISIBLE_DEVICES count.
Python 3 with python3-numpy and python3-h5py; the campaigns fuzz, memory and plan need neither, but for numpy where images are made."""
import argparse
import functools
import json
import multiprocessing
import os
import pathlib
import queue
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import namedtuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "scripts/campaign"
RESULTS = ROOT / "docs/reliability"
# Attributes that hold the command, which names other files and --resume, and not what was computed.
COMMAND = frozenset(("command", "options", "source_options"))
# Keys of JSON that hold measured times and speeds, the command, and how many steps a resumed run did not make itself.
MEASURED = frozenset(("command", "performance", "steps_resumed", "seconds", "mlups", "device_bytes_free", "host_peak_bytes"))

COMPUTE = ("permeability", "run", "check")  # commands that take --backend
PASSED = ("LD_LIBRARY_PATH", "UDUNITS2_XML_PATH", "RILL_NVRTC", "CUDA_VISIBLE_DEVICES")  # of the environment

Defect = namedtuple("Defect", "what file old new")
Result = namedtuple("Result", "code out err seconds")


class Campaign:
    """The trials of one campaign, what came of them, and a directory of their own."""

    def __init__(self, name, promise, arguments, directory):
        self.name, self.promise, self.arguments = name, promise, arguments
        self.rill = str(pathlib.Path(arguments.rill).resolve())
        self.directory = pathlib.Path(directory)
        self.begun = time.monotonic()
        self.shared, self.job = self.directory, 0  # of all jobs; number of this one
        self.rows, self.wrong = {}, []
        self.parts = []  # what was made before
        self.wrapper = []  # words before the program
        self.more = {}  # further keys of the results
        self.summed = set()  # figures that are sums
        self.trials = 0
        self.enough = self.behind = None  # whether no trial is needed any more; what is to be done behind the last
        self._kept = {}

    # ---- results ----

    def record(self, what, wrong=None, **figures):
        """Count a trial of a kind. @param wrong  sentence that says what did not hold, or None"""
        row = self.rows.setdefault(what, {"what": what, "tried": 0, "held": 0, "figures": {}})
        row["tried"] += 1
        row["held"] += not wrong
        for key, value in figures.items():
            row["figures"][key] = max(row["figures"].get(key, value), value)
        if wrong:
            self.wrong.append("%s, trial %d: %s" % (what, self.trials, self.without_places(wrong)))
            print("%s: %s" % (self.name, self.wrong[-1]), file=sys.stderr, flush=True)

    def without_places(self, sentence):
        """Return a sentence without directories of this machine: that of the campaign, and those of sources, which compilers name."""
        return re.sub(r"/\S*/(?=(?:cuda|geometry|include|scripts|src|tests)/)", "", sentence.replace(str(self.directory) + "/", ""))

    def add(self, what, **sums):
        """Add figures of a kind of trial to those that it has."""
        figures = self.rows.setdefault(what, {"what": what, "tried": 0, "held": 0, "figures": {}})["figures"]
        for key, value in sums.items():
            figures[key] = figures.get(key, 0) + value
            self.summed.add(key)

    def merge(self, rows, wrong, summed):
        """Take the results of another job."""
        self.summed |= summed
        for what, row in rows.items():
            own = self.rows.setdefault(what, {"what": what, "tried": 0, "held": 0, "figures": {}})
            own["tried"] += row["tried"]
            own["held"] += row["held"]
            for key, value in row["figures"].items():
                before = own["figures"].get(key)
                own["figures"][key] = value if before is None else before + value if key in self.summed else max(before, value)
        self.wrong += wrong

    def take(self, earlier, count=None):
        """Take the results of earlier calls, and begin behind the trials that they hold unless --first is given. @param count  trials
        to make then; None: until there are --count"""
        a = self.arguments
        self.merge({row["what"]: row for row in earlier["rows"]}, earlier["wrong"], set(earlier["summed"]))
        self.parts = earlier["parts"]
        begin = max([part["end"] for part in self.parts if part["seed"] == a.seed], default=0)
        if a.first is None:
            a.first, a.count = begin, max(a.count - begin, 0) if count is None else count

    def left(self):
        """Return the seconds that are left of the time limit."""
        return self.arguments.time_limit - (time.monotonic() - self.begun)

    def once(self, key, make):
        """Return make(), made once in a campaign."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def fresh(self, name="trial"):
        """Return a new empty directory."""
        path = self.directory / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    # ---- runs ----

    def environment(self, **more):
        """Return the environment of rill: one thread, the home and the temporary files in the campaign's directory."""
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(home), "LC_ALL": "C.UTF-8",
                       "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "TMPDIR": str(self.directory)}
        environment.update({key: os.environ[key] for key in PASSED if key in os.environ})
        if self.arguments.backend == "cuda":
            environment["CUDA_VISIBLE_DEVICES"] = gpus()[self.job % len(gpus())][0]
            environment["RILL_CACHE"] = str(self.shared / "kernels")
        environment.update({key: str(value) for key, value in more.items()})
        return environment

    def start(self, *arguments, directory, environment=None, **more):
        """Start rill in a directory. @return subprocess.Popen"""
        return subprocess.Popen([*self.wrapper, self.rill, *self.words(*arguments)], cwd=directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment() if environment is None else environment, **more)

    def words(self, *arguments):
        """Return the arguments of rill, with those that say where it computes, and that inputs are links into other directories."""
        own = ["--backend", self.arguments.backend] if arguments[0] in COMPUTE else []
        own += ["--allow-outside"] if arguments[0] in ("run", "check") else []
        return [*map(str, arguments), *own]

    def end(self, process, seconds=60):
        """Wait for the end of rill. @return Result; the code of a hang is None"""
        begun = time.monotonic()
        try:
            out, err = process.communicate(timeout=seconds)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = None
        return Result(code, out.decode(errors="replace"), err.decode(errors="replace"), time.monotonic() - begun)

    def run(self, *arguments, directory, environment=None, seconds=None, **more):
        """Run rill to its end. @return Result"""
        seconds = seconds or (300 if self.arguments.backend == "cuda" else 60)  # kernels may have to be compiled
        return self.end(self.start(*arguments, directory=directory, environment=environment, **more), seconds)

    def must(self, *arguments, **more):
        """Run rill for what a trial needs: it must succeed."""
        done = self.run(*arguments, **more)
        if done.code != 0:
            raise SystemExit("%s: rill %s: exit code %s: %s" % (self.name, shlex.join(map(str, arguments)), done.code, done.err.strip()))
        return done

    def preload(self, name):
        """Return a library to preload, compiled from NAME.c of this directory."""
        def compiled():
            library = self.directory / (name + ".so")
            subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror",
                            "-shared", "-fPIC", "-o", library, HERE / (name + ".c"), "-ldl", "-lpthread"], check=True)
            return str(library)
        return self.once(name, compiled)


def died(code):
    """Return the name of the signal that ended a process, or None."""
    return signal.Signals(-code).name if code is not None and code < 0 else None


# ---- files ----


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


# ---- small cases ----


def rock(path, n=16, seed=1, pores=0.65):
    """Save an image whose pores percolate: blocks of 2 x 2 x 2 voxels, True in the pores."""
    import numpy
    blocks = numpy.random.default_rng(seed).random((n // 2,) * 3) <= pores
    numpy.save(path, blocks.repeat(2, 0).repeat(2, 1).repeat(2, 2))


# ---- the machine ----


@functools.cache
def gpus():
    """Return the (number, name) of each GPU."""
    if not shutil.which("nvidia-smi"):
        raise SystemExit("--backend cuda needs a GPU and nvidia-smi, which is not here")
    found = subprocess.run(["nvidia-smi", "--query-gpu=index,name", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout
    listed = [tuple(word.strip() for word in line.split(",", 1)) for line in found.splitlines()]
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    listed = [gpu for gpu in listed if chosen is None or gpu[0] in chosen.split(",")]
    if not listed:
        raise SystemExit("no GPU is here, which --backend cuda needs")
    return listed


def machine(backend):
    """Return the processor and its cores, in words, and the GPUs that were used."""
    model = "a processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    names = [name for _, name in gpus()] if backend == "cuda" else []
    return "".join("%d %s and " % (names.count(name), name) for name in sorted(set(names))) + "%d cores of %s" % (os.cpu_count(), model)


def software(rill):
    return " ".join(subprocess.run([rill, "--version"], capture_output=True, text=True, check=True).stdout.split()[1:])


# ---- options and results ----


def _options(doc, count, short, add):
    parse = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    parse.add_argument("--count", type=int, help="trials (default: %d, %d with --short or --plant)" % (count, short))
    parse.add_argument("--short", action="store_true", help="make few trials, as .ci/run does")
    parse.add_argument("--first", type=int, help="number of the first trial (default: 0; with --add that behind the last trial of --json)")
    parse.add_argument("--time-limit", type=float, default=3600, metavar="SECONDS", help="no trial begins later (default: 3600)")
    parse.add_argument("--rill", "--program", default=str(ROOT / "build/rill"), metavar="FILE", help="program (default: build/rill)")
    parse.add_argument("--jobs", type=int, default=1, metavar="N", help="trials that are made at the same time (default: 1)")
    parse.add_argument("--backend", default="cpu", choices=("cpu", "cuda"), help="where rill computes (default: cpu)")
    parse.add_argument("--json", metavar="FILE", help="write the results; a directory: to NAME.json or NAME-cuda.json there")
    parse.add_argument("--add", action="store_true", help="add to the results of --json, until they hold --count trials")
    parse.add_argument("--replace", action="store_true", help="replace results of --json that are of another machine")
    parse.add_argument("--plant", action="store_true", help="plant each defect in a copy of the tree, and see that the campaign finds it")
    parse.add_argument("--planted", metavar="DIRECTORY", help="where --plant keeps the programs with a defect; those that are there are tried, else they are built")
    parse.add_argument("--make", default="make -j2", help="how --plant builds the copy (default: make -j2)")
    shared = set(parse._option_string_actions)
    if add:
        add(parse)
    a = parse.parse_args()
    own = {o.dest: name for name, o in parse._option_string_actions.items() if name not in shared and o.metavar not in ("DIRECTORY", "PROGRAM")}
    a.own = [word for key, name in own.items() if (value := getattr(a, key)) != parse.get_default(key)
             for word in ((name,) if value is True else (name, "%g" % value if isinstance(value, float) else str(value)))]
    a.short = a.short or a.plant
    if a.count is None:
        a.count = short if a.short else count
    return a


def _command(name, a):
    words = ["scripts/campaign/" + name, "--seed", str(a.seed)] + (["--backend", a.backend] if a.backend != "cpu" else [])
    return " ".join(words + a.own)


def _earlier(name, a):
    """Return what --json holds, where these results may go."""
    if a.json and os.path.isdir(a.json):
        a.json = os.path.join(a.json, name + ("-cuda" if a.backend == "cuda" else "") + ".json")
    earlier = results(a.json)
    if earlier and (earlier["campaign"], earlier["backend"]) != (name, a.backend):
        raise SystemExit("%s: %s holds results of %s with %s: choose another file" % (name, a.json, earlier["campaign"], earlier["backend"]))
    if earlier and not (a.add or a.replace or a.plant) and {part["machine"] for part in earlier["parts"]} - {machine(a.backend)}:
        raise SystemExit("%s: %s holds results of another machine: add to them by --add, or give them up by --replace" % (name, a.json))
    return earlier


def joined(parts):
    """Sort parts, and make one of those that follow each other under the same conditions; each trial may be there once."""
    found = []
    for part in sorted(parts, key=lambda p: (p["seed"], p["first"], p["end"])):
        last = found[-1] if found and found[-1]["seed"] == part["seed"] else None
        if last and part["first"] < last["end"]:
            raise SystemExit("trials %d to %d of seed %d are there twice" % (part["first"], min(part["end"], last["end"]) - 1, part["seed"]))
        if last and part["first"] == last["end"] and all(part[key] == last[key] for key in ("command", "date", "machine", "software")):
            last["end"], last["seconds"] = part["end"], round(last["seconds"] + part["seconds"], 1)
        else:
            found.append(dict(part))
    return found


def _write(path, found):
    with open(path + ".part", "w") as file:
        json.dump(found, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(path + ".part", path)


def results(path):
    """Return what a file of results holds, or nothing."""
    return json.loads(pathlib.Path(path).read_text()) if path and os.path.exists(path) else {}


def _job(c, k, trial, counter, results):
    """Make trials in a process of its own, each the next that no other job makes."""
    a = c.arguments
    own = Campaign(c.name, c.promise, a, c.directory / ("job-%d" % k))
    own.directory.mkdir()
    own.begun, own.shared, own.job, own.wrapper = c.begun, c.shared, k, c.wrapper
    try:
        while own.left() > 0 and not (c.enough and c.enough()):
            with counter.get_lock():
                i = counter.value
                counter.value += 1
            if i >= a.first + a.count:
                break
            own.trials = i
            trial(own, random.Random("%d %d" % (a.seed, i)), i)
    except SystemExit as error:
        own.wrong.append("job %d, trial %d: %s" % (k, own.trials, error))
    results.put((own.rows, own.wrong, own.summed))


def _trials(c, trial):
    """Make trials. @return number behind the last"""
    a = c.arguments
    if a.jobs > 1:
        fork = multiprocessing.get_context("fork")
        counter, results = fork.Value("q", a.first), fork.Queue()
        jobs = [fork.Process(target=_job, args=(c, k, trial, counter, results)) for k in range(min(a.jobs, a.count))]
        for job in jobs:
            job.start()
        waiting = len(jobs)
        while waiting:
            try:
                c.merge(*results.get(timeout=5))
                waiting -= 1
            except queue.Empty:
                if not any(job.is_alive() for job in jobs) and results.empty():
                    raise SystemExit("%s: %d jobs ended without results" % (c.name, waiting)) from None
        for job in jobs:
            job.join()
        c.rows = dict(sorted(c.rows.items()))
        return min(counter.value, a.first + a.count)
    for i in range(a.first, a.first + a.count):
        if c.left() <= 0 or c.enough and c.enough():
            return i
        c.trials = i
        try:
            trial(c, random.Random("%d %d" % (a.seed, i)), i)
        except SystemExit as error:  # what was tried before counts
            c.wrong.append("trial %d: %s" % (i, error))
            print("%s: %s" % (c.name, c.wrong[-1]), file=sys.stderr)
            return i + 1
    return a.first + a.count


def main(doc, name, promise, trial, count, short, planted=(), options=None, begin=None):
    """Run a campaign. @param begin  called with it before the first trial @return exit code: 1 where something did not hold, or nothing was tried"""
    a = _options(doc, count, short, options)
    earlier = _earlier(name, a)
    if a.plant:
        return _plant(name, a, planted)
    with tempfile.TemporaryDirectory(prefix="rill-campaign-") as directory:
        c = Campaign(name, promise, a, directory)
        if a.add and earlier:
            c.take(earlier)
        if begin:
            begin(c)
        a.first = a.first or 0
        before, first = sum(row["tried"] for row in c.rows.values()), a.first
        if a.add and a.count == 0:
            print("%s: all trials of seed %d were made before" % (name, a.seed))
            return 1 if c.wrong else 0
        part = {"command": _command(name, a), "seed": a.seed, "first": first, "end": first + a.count, "date": time.strftime("%Y-%m-%d"),
                "machine": machine(a.backend), "software": software(c.rill), "seconds": 0}
        joined([*c.parts, part])  # refuses a trial that was made before
        part["end"] = _trials(c, trial)
        if c.behind:
            c.behind()
        part["seconds"] = round(time.monotonic() - c.begun, 1)
    tried = sum(row["tried"] for row in c.rows.values())
    for row in c.rows.values():
        print("%-60s %5d of %5d held%s" % (row["what"], row["held"], row["tried"],
                                           "".join(", %s %.4g" % (k.replace("_", " "), v) for k, v in row["figures"].items())))
    print("%s: %d trials in %.0f s, %d held" % (name, tried - before, part["seconds"], sum(row["held"] for row in c.rows.values())))
    if a.json:
        _write(a.json, {"campaign": name, "backend": a.backend, "promise": promise, "parts": joined([*c.parts, *([part] if part["end"] > first else [])]), "rows": list(c.rows.values()),
                        "summed": sorted(c.summed), "wrong": c.wrong, **c.more, "planted": results(a.json).get("planted", [])})
    if tried == before:
        print("%s: nothing was tried" % name, file=sys.stderr)
    return 1 if c.wrong or tried == before else 0


# ---- planted defects ----


def _plant(name, a, planted):
    """Break a copy of the tree in one way after another: the campaign must find it each time. With --planted DIRECTORY the
    programs are kept there, and taken from there where they are, on a machine without compilers too."""
    program, kept = pathlib.Path(a.rill).resolve(), pathlib.Path(a.planted) / name if a.planted else None
    found, missed = [], 0
    with tempfile.TemporaryDirectory(prefix="rill-planted-") as directory:
        copy = pathlib.Path(directory) / "tree"
        for k, defect in enumerate(planted):
            broken = kept / str(k) if kept else None
            if not (broken and broken.exists()):
                made = _build(a, copy, program, defect, planted)
                if not kept:
                    broken = made
                else:
                    kept.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(made, broken)
                    continue
            done = subprocess.run([sys.executable, HERE / name, "--rill", broken, "--seed", str(a.seed), "--short", "--count", str(a.count), "--first", str(a.first or 0),
                                   "--backend", a.backend, "--jobs", str(a.jobs), "--make", a.make, "--time-limit", str(a.time_limit)], capture_output=True, text=True)
            sentences = [line.split(": ", 1)[1] for line in done.stderr.splitlines() if line.startswith(name + ": ")]
            caught = done.returncode == 1 and sentences
            missed += not caught
            found.append({"what": defect.what, "found": sentences[0] if caught else None, "sentences": len(sentences)})
            print("%s: %s: %s" % (name, defect.what, "found: " + sentences[0] if caught else "NOT FOUND\n" + done.stderr))
    if a.json and found:
        _write(a.json, {**results(a.json), "planted": found})
    return 1 if missed or not planted else 0


def tree(c):
    """Return the sources that a program was built from: a copy with a planted defect, or this tree."""
    for directory in pathlib.Path(c.rill).parents:
        if (directory / "tests/fuzz/run").exists():
            return directory
    return ROOT


def copied(copy, program, root=ROOT):
    """Copy the sources of a tree, and what its program was built from. @return path of the program in the copy"""
    inside = program.parent.relative_to(root)
    if not copy.exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-C", root, "--null", "-T", "-", "-cf", copy.with_suffix(".tar")], input=listed, check=True)
        copy.mkdir()
        subprocess.run(["tar", "-C", copy, "-xf", copy.with_suffix(".tar")], check=True)
        shutil.copytree(program.parent, copy / inside, symlinks=True, ignore=shutil.ignore_patterns("tests", "prefix", "wheel", "deb", "*.so*"))
    return copy / inside / program.name


def rebuilt(copy, program, make, *changes):
    """Change sources of a copy, and build its program."""
    for change in changes:
        source = copy / change.file
        text = source.read_text()
        if text.count(change.old) != 1:
            raise SystemExit("%s holds the text to break %d times: %s" % (change.file, text.count(change.old), change.old))
        source.write_text(text.replace(change.old, change.new))
    subprocess.run([*shlex.split(make), str(program.relative_to(copy))], cwd=copy, check=True, stdout=subprocess.DEVNULL)


def _build(a, copy, program, defect, planted):
    """Build a program with a defect in a copy of the tree, made before the first; its sources stay broken, for campaigns that compile them in another way.
    @return its path"""
    made = copied(copy, program)
    for before in planted:
        if (copy / before.file).read_text() != (ROOT / before.file).read_text():
            (copy / before.file).write_text((ROOT / before.file).read_text())
    rebuilt(copy, made, a.make, defect)
    return made
