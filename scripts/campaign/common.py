# SPDX-License-Identifier: Apache-2.0
"""What the campaigns of this directory share: options, trials with a seed and a time limit, runs of rill, libraries to
preload, results as JSON, defects planted on purpose.

A campaign is a program NAME with

    PROMISE = "What must hold, in a sentence."

    def trial(c, random, i):
        c.record("kind of trial", None or "sentence that says what did not hold", state=(what, was, tried), seconds=0.2)

    sys.exit(common.main(__doc__, "NAME", PROMISE, trial, count=200, short=8))

`record` may be called several times in a trial. Trials count by distinct states: `state` is what makes a trial another one, and a state that was tried twice counts
once. What held without a state is an error. `theirs` names a library that crashes in the same way without rill: the trial then counts as tried, not as held.
`failed` says how a tool that watches rill failed itself: the trial then counts as tried, neither as held nor as lost, and is no evidence.
The random numbers of trial I depend on seed and I alone. Figures given to `record` by name are kept as their largest value of the kind of trial. `short` trials are
made by --short, in .ci/run, and with each planted defect.

defects/NAME-*.patch are defects, at least two: what is broken, a line "Options:" with further options of the campaign where it needs any, and a patch for the
sources. Each call fails where a patch does not apply exactly. --plant builds a copy of the tree with each of them after the trials, and fails where the short form
of the campaign does not find it, or where the trial that finds it does not hold without the defect. --json DIRECTORY does so too, and writes NAME.json or NAME-cuda.json there: a result is of one call, one machine and one commit.
It is refused where the program, or a file that the result depends on, is not that of a commit before HEAD.

--build-planted --planted DIRECTORY builds the programs with a defect, and what a campaign compiles besides (preloaded libraries, tools=), for a machine without compilers, git and
development packages, where --planted DIRECTORY takes them: their names hold hashes of the sources and of the patch, so that those of other sources are not found.
A program that was packed with its libraries runs where LD_LIBRARY_PATH and UDUNITS2_XML_PATH say.
With --backend cuda the jobs share the GPUs, and RILL_NVRTC and CUDA_VISIBLE_DEVICES count.
Python 3 with python3-numpy and python3-h5py; the campaigns fuzz, memory and plan need neither, but for numpy where images are made."""
import argparse
import concurrent.futures
import functools
import hashlib
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
DEFECTS = HERE / "defects"
COMPUTE = ("permeability", "diffusivity", "dispersion", "run", "check")  # commands that take --backend
OUTCOMES = ("held", "theirs", "failed", "wrong")  # of a state: the last that was met in this order
PASSED = ("LD_LIBRARY_PATH", "UDUNITS2_XML_PATH", "RILL_NVRTC", "CUDA_VISIBLE_DEVICES")  # of the environment

Defect = namedtuple("Defect", "what options patch")
Result = namedtuple("Result", "code out err seconds")
Tool = namedtuple("Tool", "make of_sources")  # make(campaign, path); whether that of a program with a defect is another one


class Campaign:
    """The trials of one campaign, what came of them, and a directory of their own."""

    def __init__(self, name, promise, arguments, directory, tools=None):
        self.name, self.promise, self.arguments = name, promise, arguments
        self.tools = tools or {}
        self.rill = str(pathlib.Path(arguments.rill).resolve())
        self.directory = pathlib.Path(directory)
        self.begun = time.monotonic()
        self.shared, self.job = self.directory, 0  # of all jobs; number of this one
        self.rows, self.wrong, self.failed = {}, [], []
        self.wrapper = []  # words before the program
        self.more = {}  # further keys of the results
        self.summed = set()  # figures that are sums
        self.trials = 0
        self.patience = 60  # s that a run may take
        self.enough = self.behind = None  # whether no trial is needed any more; what is to be done behind the last
        self._kept = {}

    # ---- results ----

    def record(self, what, wrong=None, state=None, theirs=None, failed=None, **figures):
        """Count a trial of a kind. @param wrong  sentence that says what did not hold, or None; @param state  what makes it another trial than those of the same
        kind before; @param theirs  library that crashes in the same way without rill, or None; @param failed  sentence that says how a tool failed, or None"""
        if state is None and not wrong and not theirs and not failed:
            raise TypeError("%s, %s: a trial that held needs the state that was tried" % (self.name, what))
        row = self._row(what)
        key = hashlib.sha256(repr(state).encode()).hexdigest()
        self._met(row, key, "wrong" if wrong else "failed" if failed else "theirs" if theirs else "held")
        for name, value in figures.items():
            row["figures"][name] = max(row["figures"].get(name, value), value)
        if wrong:
            self.enough = (lambda: True) if self.arguments.stop else self.enough
            self.wrong.append("%s, trial %d: %s" % (what, self.trials, self.without_places(wrong)))
            print("%s: %s" % (self.name, self.wrong[-1]), file=sys.stderr, flush=True)

        if failed and not wrong:
            self.failed.append("%s, trial %d: %s" % (what, self.trials, self.without_places(failed)))
            print("%s: %s" % (self.name, self.failed[-1]), file=sys.stderr, flush=True)

    def _row(self, what):
        return self.rows.setdefault(what, {"what": what, "states": {}, "figures": {}})

    @staticmethod
    def _met(row, key, outcome):
        row["states"][key] = max(row["states"].get(key, "held"), outcome, key=OUTCOMES.index)

    def counted(self):
        """Return the rows of the results: states that were tried, held, ended in a crash of a library that needs no rill, and with which a tool failed."""
        return [{"what": row["what"], "tried": len(row["states"]), **{o: n for o in OUTCOMES[:3] if (n := list(row["states"].values()).count(o)) or o != "failed"}, "figures": row["figures"]}
                for row in self.rows.values() if row["states"]]

    def without_places(self, sentence):
        """Return a sentence without directories of this machine: that of the campaign, and those of sources, which compilers name."""
        return re.sub(r"/\S*/(?=(?:cuda|geometry|include|scripts|src|tests)/)", "", sentence.replace(str(self.directory) + "/", ""))

    def add(self, what, **sums):
        """Add figures of a kind of trial to those that it has."""
        figures = self._row(what)["figures"]
        for key, value in sums.items():
            figures[key] = figures.get(key, 0) + value
            self.summed.add(key)

    def merge(self, rows, wrong, failed, summed):
        """Take the results of another job."""
        self.summed |= summed
        for what, row in rows.items():
            own = self._row(what)
            for key, outcome in row["states"].items():
                self._met(own, key, outcome)
            for key, value in row["figures"].items():
                before = own["figures"].get(key)
                own["figures"][key] = value if before is None else before + value if key in self.summed else max(before, value)
        self.wrong += wrong
        self.failed += failed

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
                       "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "TMPDIR": str(self.directory), "RILL_OVERWRITE": "1"}
        environment.update({key: os.environ[key] for key in PASSED if key in os.environ})
        if self.arguments.backend == "cuda":
            environment["CUDA_VISIBLE_DEVICES"] = gpus()[self.job % len(gpus())][0]
            environment["RILL_CACHE"] = str(self.shared / "kernels")
        environment.update({key: str(value) for key, value in more.items()})
        return environment

    def start(self, *arguments, directory, environment=None, **more):
        """Start rill in a directory. @return subprocess.Popen"""
        more.setdefault("start_new_session", bool(self.wrapper))  # so that rill ends with the tool that watches it
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
            _kill(process)
            out, err = process.communicate()
            code = None
        except BaseException:  # this job is stopped
            _kill(process)
            raise
        return Result(code, out.decode(errors="replace"), err.decode(errors="replace"), time.monotonic() - begun)

    def run(self, *arguments, directory, environment=None, seconds=None, **more):
        """Run rill to its end. @return Result"""
        seconds = seconds or (300 if self.arguments.backend == "cuda" else self.patience)  # kernels may have to be compiled
        return self.end(self.start(*arguments, directory=directory, environment=environment, **more), seconds)

    def must(self, *arguments, **more):
        """Run rill for what a trial needs: it must succeed."""
        done = self.run(*arguments, **more)
        if done.code != 0:
            raise SystemExit("%s: rill %s: exit code %s: %s" % (self.name, shlex.join(map(str, arguments)), done.code, done.err.strip()))
        return done

    def kept(self, name):
        """Return what --planted keeps of a name: of the program with a defect where it depends on the sources of rill, else of the whole one; None where there is none."""
        if not self.arguments.planted:
            return None
        beside = pathlib.Path(self.rill).parent
        broken = beside.parent == pathlib.Path(self.arguments.planted).resolve()
        path = (beside if broken and self.tools[name].of_sources else _home(self.name, self.arguments)) / name
        return str(path) if path.exists() else None

    def tool(self, name):
        """Return a program or a library besides rill: that which --planted keeps, or one that is made now."""
        def made():
            path = self.directory / "tools" / name  # where no directory of a trial has the same name
            path.parent.mkdir(exist_ok=True)
            self.tools[name].make(self, path)
            return str(path)
        return self.kept(name) or self.once(name, made)

    def preload(self, name):
        """Return a library to preload, compiled from NAME.c of this directory."""
        return self.tool(name + ".so")


def _preload(c, path):
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", path,
                    (HERE / path.name).with_suffix(".c"), "-ldl", "-lpthread"], check=True)


def _tools(name, own):
    """Return the tools of a campaign with the libraries that it preloads."""
    return {**{word + ".so": Tool(_preload, False) for word in sorted(set(re.findall(r'preload\("(\w+)"\)', (HERE / name).read_text())))}, **(own or {})}


def _kill(process):
    """Kill a process, with all that it started where it leads a session."""
    try:
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:
        pass


def died(code):
    """Return the name of the signal that ended a process, or None."""
    return signal.Signals(-code).name if code is not None and code < 0 else None


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
    return " ".join(subprocess.run([rill, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0].split()[1:])


# ---- options and results ----


def _options(doc, count, short, add):
    parse = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    parse.add_argument("--count", type=int, help="trials (default: %d, %d with --short)" % (count, short))
    parse.add_argument("--short", action="store_true", help="make few trials, as .ci/run does")
    parse.add_argument("--first", type=int, default=0, help="number of the first trial (default: 0)")
    parse.add_argument("--time-limit", type=float, default=3600, metavar="SECONDS", help="no trial begins later (default: 3600)")
    parse.add_argument("--rill", "--program", default=str(ROOT / "build/rill"), metavar="FILE", help="program (default: build/rill)")
    parse.add_argument("--jobs", type=int, default=1, metavar="N", help="trials that are made at the same time (default: 1)")
    parse.add_argument("--backend", default="cpu", choices=("cpu", "cuda"), help="where rill computes (default: cpu)")
    parse.add_argument("--stop", action="store_true", help="end at the first trial that does not hold, as with planted defects")
    parse.add_argument("--json", metavar="DIRECTORY", help="plant as --plant does, and write the results to NAME.json or NAME-cuda.json there")
    parse.add_argument("--plant", action="store_true", help="plant each defect in a copy of the tree after the trials, and see that the campaign finds it")
    parse.add_argument("--planted", metavar="DIRECTORY", help="where the programs with a defect, and what is compiled besides, are kept, for machines without compilers: those of the same sources are tried, others are built")
    parse.add_argument("--build-planted", action="store_true", help="build what --planted keeps there, and stop")
    parse.add_argument("--make", default="make -j2", help="how --plant builds the copy (default: make -j2)")
    shared = set(parse._option_string_actions)
    if add:
        add(parse)
    a = parse.parse_args()
    own = {o.dest: name for name, o in parse._option_string_actions.items() if name not in shared and o.metavar not in ("DIRECTORY", "PROGRAM")}
    a.own = [word for key, name in own.items() if (value := getattr(a, key)) != parse.get_default(key)
             for word in ((name,) if value is True else (name, "%g" % value if isinstance(value, float) else str(value)))]
    if a.count is None:
        a.count = short if a.short else count
    return a


def _command(name, a):
    words = ["scripts/campaign/" + name, "--seed", str(a.seed)] + (["--backend", a.backend] if a.backend != "cpu" else [])
    return " ".join(words + a.own)


def _write(path, found):
    with open(path + ".part", "w") as file:
        json.dump(found, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(path + ".part", path)


class Stopped(BaseException):
    """Another job has found what was looked for."""


def _stop(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


def _job(c, k, trial, counter, results):
    """Make trials in a process of its own, each the next that no other job makes."""
    a = c.arguments
    own = Campaign(c.name, c.promise, a, c.directory / ("job-%d" % k), c.tools)
    own.directory.mkdir()
    own.begun, own.shared, own.job, own.wrapper, own.enough, own._kept = c.begun, c.shared, k, c.wrapper, c.enough, dict(c._kept)
    signal.signal(signal.SIGTERM, _stop)
    try:
        while own.left() > 0 and not (own.enough and own.enough()):
            with counter.get_lock():
                i = counter.value
                counter.value += 1
            if i >= a.first + a.count:
                break
            own.trials = i
            trial(own, random.Random("%d %d" % (a.seed, i)), i)
    except Stopped:
        pass
    except SystemExit as error:
        own.wrong.append("job %d, trial %d: %s" % (k, own.trials, error))
    results.put((own.rows, own.wrong, own.failed, own.summed))


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
                for job in jobs if a.stop and c.wrong else ():
                    job.terminate()
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


def main(doc, name, promise, trial, count, short, options=None, begin=None, tools=None):
    """Run a campaign. @param begin  called with it before the first trial; @param tools  {name: Tool} of what it uses besides rill @return exit code: 1 where something did
    not hold, nothing was tried, or a planted defect was not found"""
    a = _options(doc, count, short, options)
    planted, tools = defects(name), _tools(name, tools)
    if a.build_planted:
        return _build_planted(name, a, planted, tools)
    if a.json:
        _must_be_committed(name, a)
    with tempfile.TemporaryDirectory(prefix="rill-campaign-") as directory:
        c = Campaign(name, promise, a, directory, tools)
        if begin:
            begin(c)
        end = _trials(c, trial)
        if c.behind:
            c.behind()
        seconds = round(time.monotonic() - c.begun, 1)
    rows = c.counted()
    for row in rows:
        print("%-60s %5d of %5d held%s%s%s" % (row["what"], row["held"], row["tried"], ", %d crashes of libraries alone" % row["theirs"] if row["theirs"] else "",
                                             ", %d without an answer, as a tool failed" % row["failed"] if row.get("failed") else "",
                                             "".join(", %s %.4g" % (k.replace("_", " "), v) for k, v in row["figures"].items())))
    tried = sum(row["tried"] for row in rows)
    print("%s: %d distinct states in %d trials and %.0f s, %d held" % (name, tried, end - a.first, seconds, sum(row["held"] for row in rows)))
    found = _plant(name, a, planted, tools) if a.json or a.plant else []
    if a.json:
        _write(os.path.join(a.json, name + ("-cuda" if a.backend == "cuda" else "") + ".json"),
               {"campaign": name, "backend": a.backend, "promise": c.promise, "command": _command(name, a), "trials": [a.first, end], "date": time.strftime("%Y-%m-%d"),
                "machine": machine(a.backend), "software": software(a.rill), "sources": sources(name, a.backend), "seconds": seconds, "rows": rows, "wrong": c.wrong,
                **({"failed": c.failed} if c.failed else {}), **c.more, "planted": found})
    if not tried:
        print("%s: nothing was tried" % name, file=sys.stderr)
    return 1 if c.wrong or not tried or any(d["found"] is None for d in found) else 0


# ---- what a result depends on ----

PROGRAM = ("Makefile", "src", "geometry", "include")  # of every campaign: any part of the program may break a promise
ONLY = {"fuzz": ("tests/fuzz", "geometry", "include", "src/core", "src/inspect", "src/io", "src/vessel", "src/batch", "src/kernel", "src/domain", "src/cli"), "cache": ("cuda/image_cache.c", "src/core", "include")}


def depends(name, backend):
    """Return the files of the tree on which results of a campaign depend, but for its defects."""
    text, own = (HERE / name).read_text(), {"scripts/campaign/" + name, "scripts/campaign/common.py"}
    for word in set(re.findall(r"\w+", text)) | ({"cases", "outputs"} if "commands" in text else set()):
        own |= {"scripts/campaign/" + word + end for end in (".py", ".c") if (HERE / (word + end)).exists()}
    own |= {str(path.relative_to(ROOT)) for path in (HERE / "looks").glob("*.patch") if "looks/" in text}
    wanted = ONLY.get(name, PROGRAM) + (("cuda",) if backend == "cuda" else ())
    listed = [path for top in wanted for path in ([ROOT / top] if (ROOT / top).is_file() else (ROOT / top).rglob("*"))]
    return sorted(own | {str(path.relative_to(ROOT)) for path in listed if path.is_file() and (path.suffix in (".c", ".h", ".cu", ".cuh", ".inc", ".def") or path.name == "Makefile")})


# What a release changes, and no more than the revision does, which every commit changes in the same text: rill_version(). The major number names the library.
RELEASE = re.compile(r"^#define RILL_VERSION_(?:MINOR|PATCH) +\d+", re.M)


def _without_comments(path):
    """Return what of a file is no comment, no blank, and no number of a release."""
    text = RELEASE.sub("", path.read_text(errors="replace"))
    if path.suffix in (".c", ".h", ".cu", ".cuh", ".inc", ".def"):
        text = re.sub(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', lambda m: m[1] or " ", text, flags=re.S)
        return " ".join(text.split())
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))


@functools.cache
def sources(name, backend):
    """Return a hash over what a result depends on, comments and blanks left out."""
    sums = hashlib.sha256()
    for file in depends(name, backend):
        sums.update(("%s\0%s\0" % (file, _without_comments(ROOT / file))).encode())
    return sums.hexdigest()[:16]


def is_ancestor(commit):
    """Return whether a commit is HEAD or one before it."""
    return subprocess.run(["git", "merge-base", "--is-ancestor", commit, "HEAD"], cwd=ROOT, capture_output=True).returncode == 0


def is_beyond_history(commit):
    """Return whether a shallow clone, which has not the whole history, lacks a commit."""
    shallow = subprocess.run(["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, capture_output=True, text=True).stdout.strip() == "true"
    return shallow and subprocess.run(["git", "cat-file", "-e", commit + "^{commit}"], cwd=ROOT, capture_output=True).returncode != 0


def _must_be_committed(name, a):
    """Refuse to write results of a program, or of sources, that no commit holds."""
    version = software(a.rill)
    commit = re.search(r"\(([0-9a-f]{12})\)$", version)
    if not commit:
        raise SystemExit("%s: --json needs a program that was built from a commit, and this is rill %s: commit, and build again" % (name, version))
    if (ROOT / ".git").exists():
        if not is_ancestor(commit[1]):
            raise SystemExit("%s: --json needs a program of a commit before HEAD, and %s is none: build again" % (name, commit[1]))
        done = subprocess.run(["git", "diff", "--quiet", commit[1], "--", *depends(name, a.backend), "scripts/campaign/defects"], cwd=ROOT)
        if done.returncode != 0:
            raise SystemExit("%s: --json needs the sources that %s was built from, and others are here: build again" % (name, version))


# ---- planted defects ----


def campaigns():
    """Return the names of all campaigns."""
    return sorted(path.name for path in HERE.iterdir() if path.is_file() and "." not in path.name and path.name != "report")


def defects(name):
    """Return the defects of a campaign, each of which must apply to the tree."""
    found = []
    for path in sorted(DEFECTS.glob(name + "-*.patch")):
        text = path.read_text().split("\n--- ", 1)[0]
        options = re.search(r"^Options: (.*)$", text, re.M)
        found.append(Defect(" ".join(re.sub(r"^Options: .*$", "", text, flags=re.M).split()), shlex.split(options[1]) if options else [], path))
        apply(ROOT, path, "--check")
    if len(found) < 2:
        raise SystemExit("%s: %d defects are in scripts/campaign/defects, at least 2 are required" % (name, len(found)))
    return found


def patch_sum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def apply(directory, patch, *options):
    """Apply a patch to a tree, exactly: a context that differs is an error."""
    if options == ("--check",) and not shutil.which("git"):
        return  # where programs with a defect come from another machine, on which it was applied
    done = subprocess.run(["git", "apply", *options, patch], cwd=directory, capture_output=True, text=True,
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": str(pathlib.Path(directory).resolve().parent)})
    if done.returncode != 0:
        raise SystemExit("%s does not apply: %s" % (os.path.basename(patch), done.stderr.strip()))


def _home(name, a, patch=None):
    """Return where --planted keeps what belongs to a campaign, with a defect or without: another patch, other sources, another place."""
    of = hashlib.sha256((sources(name, a.backend) + (patch.read_text() if patch else "")).encode()).hexdigest()[:16]
    return pathlib.Path(a.planted).resolve() / ("%s-%s" % (patch.stem if patch else name, of))


def _broken(name, a, defect, copy, tools=None):
    """Return the program with a defect: that which is kept, or one built in a copy of the tree. @param tools  keep it, with those of its sources"""
    home = _home(name, a, defect.patch) if a.planted else None
    program = pathlib.Path(a.rill).resolve()
    if home and (home / program.name).exists():
        return home / program.name
    if not shutil.which("git"):
        raise SystemExit("%s: no program with %s is in --planted, of these sources, and without git none can be built" % (name, defect.patch.name))
    broken = copied(copy, program)
    rebuilt(copy, broken, a.make, defect.patch)
    if home:
        _keep(Campaign(name, "", argparse.Namespace(**{**vars(a), "rill": broken, "planted": None}), copy.parent, tools), home, True)
        for made in (broken.with_name("rill-inspect"), broken):  # the program last: with it, all is there
            shutil.copy2(made, home)
        return home / program.name
    return broken


def _keep(c, home, of_sources):
    """Make the tools of a campaign into a directory."""
    home.mkdir(parents=True, exist_ok=True)
    for name, tool in (c.tools or {}).items():
        if tool.of_sources or not of_sources:
            (home / name).parent.mkdir(exist_ok=True)
            tool.make(c, home / name)


def _build_planted(name, a, planted, tools):
    """Build the programs with a defect, and what else a campaign compiles, for another machine. @return exit code"""
    if not a.planted:
        raise SystemExit("%s: --build-planted needs --planted DIRECTORY" % name)
    with tempfile.TemporaryDirectory(prefix="rill-planted-") as directory:
        if tools:
            _keep(Campaign(name, "", argparse.Namespace(**{**vars(a), "planted": None}), directory, tools), _home(name, a), False)
            print(_home(name, a), flush=True)
        for defect in planted:  # each in a copy of its own: to go back to the sources of another compiles them again
            copy = pathlib.Path(directory) / defect.patch.stem
            print(_broken(name, a, defect, copy, tools), flush=True)
            shutil.rmtree(copy, ignore_errors=True)
    return 0


def _plant(name, a, planted, tools):
    """Break a copy of the tree in one way after another: the campaign must find it each time. @return what was planted, and the first sentence on what did not
    hold, or None"""
    with tempfile.TemporaryDirectory(prefix="rill-planted-") as directory:
        copy = pathlib.Path(directory) / "tree"

        def plant(defect):
            broken = _broken(name, a, defect, copy, tools)
            sentence = _found(name, a, broken, defect.options)
            print("%s: %s %s" % (name, defect.what, "Found: " + sentence if sentence else "NOT FOUND"), flush=True)
            if broken.is_relative_to(copy):
                apply(copy, defect.patch, "--reverse")
            return {"what": defect.what, "patch": defect.patch.name, "sum": patch_sum(defect.patch), "found": sentence}
        kept = a.planted and all((_home(name, a, defect.patch) / pathlib.Path(a.rill).name).exists() for defect in planted)
        with concurrent.futures.ThreadPoolExecutor(len(planted) if kept and a.jobs > 1 else 1) as pool:
            return list(pool.map(plant, planted))


def _found(name, a, broken, options):
    """Return the first sentence of a short campaign on a program with a defect, or None. The same trial must hold without the defect, which alone shows that it is found."""
    def short(rill, *more):
        done = subprocess.run([sys.executable, HERE / name, "--rill", rill, "--short", "--stop", "--seed", str(a.seed), "--backend", a.backend, "--jobs", str(a.jobs), "--make", a.make,
                               "--time-limit", "600", *(("--planted", a.planted) if a.planted else ()), *options, *more], capture_output=True, text=True)
        return done, [line.split(": ", 1)[1] for line in done.stderr.splitlines() if line.startswith(name + ": ") and re.search(r", trial \d+: ", line)]
    done, sentences = short(broken)
    if done.returncode != 1 or not sentences:
        print(done.stdout + done.stderr, file=sys.stderr)
        return None
    number = re.search(r", trial (\d+): ", sentences[0])[1]
    for _ in range(3):  # trials that depend on times may come to nothing
        whole, others = short(a.rill, "--first", number, "--count", "1")
        if whole.returncode == 0 and not others:
            return sentences[0]
        if others:
            break
    print("%s: trial %s does not hold without the defect either: %s" % (name, number, whole.stdout + whole.stderr), file=sys.stderr)
    return None


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
        listed = b"\0".join(name for name in listed.split(b"\0") if name and (ROOT / os.fsdecode(name)).exists())
        subprocess.run(["tar", "-C", root, "--null", "-T", "-", "-cf", copy.with_suffix(".tar")], input=listed, check=True)
        copy.mkdir()
        subprocess.run(["tar", "-C", copy, "-xf", copy.with_suffix(".tar")], check=True)
        def others(directory, names):  # what other targets make, maybe just now, some of it of hundreds of MB
            top = pathlib.Path(directory) == program.parent
            return [name for name in names if name == "tests" or top and name not in ("obj", "flags", "revision", "data_sources", "librill.map", program.name, "rill-inspect")]
        shutil.copytree(program.parent, copy / inside, symlinks=True, ignore=others)
    return copy / inside / program.name


def rebuilt(copy, program, make, patch):
    """Change sources of a copy by a patch, and build its program."""
    apply(copy, patch)
    done = subprocess.run([*shlex.split(make), str(program.relative_to(copy))], cwd=copy, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s does not build: %s" % (os.path.basename(patch), done.stderr.strip()[-2000:]))
