"""The Java HdrHistogram library, asked through JPype: a line of JSON requests comes in, a line of answers goes out.

A process of its own, because a process can hold one JVM only and cannot restart it: python oracle.py JAR < requests
"""

import base64
import json
import os
import sys

import jpype
import numpy as np

PERCENTS = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99}


def numbers(histogram) -> dict:
    return {
        "count": int(histogram.getTotalCount()),
        "min": int(histogram.getMinValue()),
        "max": int(histogram.getMaxValue()),
        "mean": float(histogram.getMean()),
        **{name: int(histogram.getValueAtPercentile(percent)) for name, percent in PERCENTS.items()},
    }


def read(java, request: dict) -> dict:
    """Every interval of a log in the given range, merged by tag and over all tags."""
    reader = java.HistogramLogReader(request["path"])
    groups, intervals, last = {}, {}, None
    while reader.hasNext():
        if "start" in request:
            histogram = reader.nextIntervalHistogram(float(request["start"]), float(request["end"]))
        else:
            histogram = reader.nextIntervalHistogram()
        if histogram is None:
            break
        tag = "" if histogram.getTag() is None else str(histogram.getTag())
        for key in (tag, None):
            if key not in groups:
                groups[key] = histogram.copy()
                groups[key].setAutoResize(True)
            else:
                groups[key].add(histogram)
            intervals[key] = intervals.get(key, 0) + 1
        last = histogram
    answers = {key: {"intervals": intervals[key], **numbers(one)} for key, one in groups.items()}
    overall = answers.pop(None, None)
    return {
        "overall": overall,
        "by_tag": answers,
        "start_time": float(reader.getStartTimeSec()),
        "last_start_ms": int(last.getStartTimeStamp()) if last else None,
    }


def record(java, request: dict) -> dict:
    """A histogram of the given values: its encodings, its numbers and its value at many percentiles."""
    histogram = java.Histogram(request["lowest"], request["highest"], request["digits"])
    for value, count in zip(request["values"], request["counts"], strict=True):
        histogram.recordValueWithCount(value, count)
    answer = numbers(histogram)
    for kind, encode in (("plain", "encodeIntoByteBuffer"), ("compressed", "encodeIntoCompressedByteBuffer")):
        buffer = jpype.java.nio.ByteBuffer.allocate(histogram.getNeededByteBufferCapacity() + 1024)
        size = int(getattr(histogram, encode)(buffer))
        raw = bytes(np.array(memoryview(buffer.array()))[:size].astype(np.uint8))
        answer[kind] = base64.b64encode(raw).decode("ascii")
    answer["percentiles"] = [int(histogram.getValueAtPercentile(p)) for p in request["percents"]]
    answer["buckets"] = buckets(histogram)
    return answer


def corrected(java, request: dict) -> list:
    """The buckets of a histogram of the given values, corrected by an expected interval."""
    histogram = java.Histogram(request["lowest"], request["highest"], request["digits"])
    for value, count in zip(request["values"], request["counts"], strict=True):
        histogram.recordValueWithCount(value, count)
    return buckets(histogram.copyCorrectedForCoordinatedOmission(request["interval"]))


def processed(java, request: dict) -> str:
    """What HistogramLogProcessor prints when it is called with these words."""
    printed, out = jpype.java.io.ByteArrayOutputStream(), jpype.java.lang.System.out
    jpype.java.lang.System.setOut(jpype.java.io.PrintStream(printed, True, "UTF-8"))
    try:
        java.HistogramLogProcessor(jpype.JString[:](request["words"])).run()
        jpype.java.lang.System.out.flush()
    finally:
        jpype.java.lang.System.setOut(out)
    return str(printed.toString("UTF-8"))


def buckets(histogram) -> list:
    """[lowest value, count] of every bucket that is not empty."""
    return [
        [int(histogram.lowestEquivalentValue(one.getValueIteratedTo())), int(one.getCountAtValueIteratedTo())]
        for one in histogram.recordedValues()
    ]


def main() -> None:
    np.linalg.inv(np.eye(2))  # loads BLAS before the JVM moves the stack guard pages
    jpype.startJVM("-Duser.timezone=UTC", classpath=[sys.argv[1]], convertStrings=False, interrupt=False)
    java = jpype.JPackage("org").HdrHistogram
    kinds = {"read": read, "record": record, "corrected": corrected, "processed": processed}
    for line in sys.stdin:
        answers = [kinds[request["kind"]](java, request) for request in json.loads(line)]
        print(json.dumps(answers), flush=True)
    os._exit(0)  # a JVM that is shut down from Python may crash after the work is done


main()
