"""Class data that trials' JVMs share: who takes them, who starts without, and that a trial compiles the same."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.host import runtimes
from pipeline.ingest import jvm_logs
from pipeline.measure import class_data
from pipeline.measure.trial import Trials
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides

JDKS = runtimes.jdks()
NEWEST = list(JDKS.values())[-1]
TINY = {"threads": 1, "warmup": 4, "iterations": 4, "iteration-ms": 2}
SHARED = "-XX:SharedArchiveFile"

pytestmark = pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")


@pytest.fixture
def apart(tmp_path, monkeypatch):
    """A place for class data of the test's own, where there are none yet."""
    monkeypatch.setattr(paths, "class_data", lambda runtime: tmp_path / "class-data" / f"{runtime}.jsa")
    class_data._taken.cache_clear()
    yield tmp_path
    class_data._taken.cache_clear()


def _trial(folder, jdk, *more: str):
    """The journal's line of a tiny trial, its file of loaded classes, and what its compilers made of the kernel."""
    entry = catalogue.experiment("atomic_increment")
    (made,) = plan.configurations(
        entry, "quick", {jdk.name: jdk}, Overrides(variants=("get_and_add",), axes={"threads": (1,)})
    )
    loaded = folder / f"{jdk.name}.classes"
    flags = (*made.main.flags, f"-Xlog:class+load:file={loaded}:none:filecount=0", *more)
    part = replace(made.main, parameters=made.main.parameters | TINY, flags=flags, logs=("jit",))
    line = Trials(folder / "raw").run(replace(made, parts=(part,)), entry.variants["get_and_add"], jdk, "t")
    assert line["status"] == "measured", line["reason"]
    log = (folder / "raw" / "t.jit.log").read_text()
    kernel = {
        (event["kind"], event["method"].rsplit("/")[-1], event.get("level"))
        for event in jvm_logs.jit(log)
        # The chunk. Whether the loop over chunks turns often enough to be compiled is a matter of time.
        if event["method"].endswith("GetAndAddKernel::increments") and event["kind"] == "compile"
    }
    return line, loaded.read_text(), kernel


@pytest.mark.parametrize("jdk", JDKS.values(), ids=JDKS)
def test_a_trial_maps_the_classes_of_the_harness_and_compiles_its_kernel_as_without(jdk, apart):
    without, parsed, compiled = _trial(apart, jdk)
    assert not any(word.startswith(SHARED) for word in without["command"])
    assert "lab.Recorder source: shared objects file" not in parsed
    class_data.make([jdk])
    shared, mapped, compiled_too = _trial(apart, jdk)
    assert sum(word.startswith(SHARED) for word in shared["command"]) == 1
    for name in ("lab.Recorder", "lab.experiments.counters.GetAndAddKernel", "org.HdrHistogram.Histogram"):
        assert f"{name} source: shared objects file (top)" in mapped
    assert compiled and compiled_too == compiled
    # What reflection by method handles begins with: for each constructor it makes classes, and compiles them.
    assert "jdk.internal.reflect.MethodHandleAccessorFactory$LazyStaticHolder" not in mapped


def test_class_data_are_made_once_and_anew_for_another_build(apart, monkeypatch):
    class_data.make([NEWEST])
    made = paths.class_data(NEWEST.name)
    first = made.stat().st_mtime_ns
    class_data.make([NEWEST])
    assert made.stat().st_mtime_ns == first
    jar = shutil.copy(paths.java_harness(), apart / "lab-harness.jar")  # with another date
    monkeypatch.setattr(paths, "java_harness", lambda: jar)
    class_data._taken.cache_clear()
    assert class_data.flags(NEWEST, ()) == ()
    class_data.make([NEWEST])
    assert class_data.flags(NEWEST, ()) and [file.name for file in made.parent.iterdir()] == [made.name]


def test_a_jvm_that_cannot_take_them_starts_without(apart):
    """Other layouts, of references (ZGC) or by what is put before the JDK's own classes."""
    class_data.make([NEWEST])
    for flag in ("-XX:+UseZGC", f"-Xbootclasspath/a:{paths.java_harness()}"):
        assert class_data.flags(NEWEST, (flag,)) == () and class_data.refusal(NEWEST, (flag,)) == ""
    line, parsed, _ = _trial(apart, NEWEST, "-XX:+UseZGC")
    assert not any(word.startswith(SHARED) for word in line["command"])
    assert "shared objects file (top)" not in parsed and "shared objects file" in parsed
    assert (
        class_data.refusal(NEWEST, ("-XX:+NoSuchFlag",)) == runtimes.refusal(NEWEST.java(), ("-XX:+NoSuchFlag",)) != ""
    )


@pytest.mark.parametrize("broken", ["program", "folder", "file"])
def test_where_none_can_be_made_trials_start_without(apart, monkeypatch, broken):
    jdk = NEWEST
    if broken == "program":  # a JVM that knows no such archive
        java = apart / "jdk" / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text('#!/bin/sh\ncase "$*" in *ArchiveClasses*) exit 1;; esac\nexec ' + f'{jdk.java()} "$@"\n')
        java.chmod(0o755)
        jdk = replace(jdk, home=str(apart / "jdk"))
    if broken == "folder":
        (apart / "class-data").write_text("in the way")
    class_data.make([jdk])
    if broken == "file":
        made = paths.class_data(jdk.name)
        made.chmod(0o644)
        made.write_bytes(made.read_bytes()[:1000])
        class_data._taken.cache_clear()
    line, _, _ = _trial(apart, jdk)
    assert not any(word.startswith(SHARED) for word in line["command"])
    if broken != "file":
        assert not paths.class_data(jdk.name).exists()
