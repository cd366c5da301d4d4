"""Which column of a CSV file holds latencies, and in which unit: known writers by their header, others by its name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pipeline.foreign import units

UNIT_OF = re.compile(
    r"(?:.*[_ (\[]|^)(ns|us|µs|ms|s|nanos(?:econds)?|micros(?:econds)?|millis(?:econds)?|seconds)[)\]]?$"
)
WORDS = {"nanos": "ns", "micros": "us", "millis": "ms", "seconds": "s"}
LATENCY = re.compile(r".*(latenc|latenz|duration|dauer|elapsed|response.?time|service.?time).*", re.I)


@dataclass(frozen=True)
class Writer:
    """What writes such a header, and where its numbers are. time: in which unit of the epoch, or of the beginning."""

    tool: str
    header: tuple[str, ...]
    value: str
    unit: str
    time: str = ""
    time_unit: str = "s"
    series: str = ""
    only: tuple[str, str] = ("", "")  # a column, and the value that rows have which count
    success: str = ""  # a column that is false where a request failed
    loop: str = ""
    note: str = ""
    columns_said: str = ""  # whose columns they are, of a file without a head

    @property
    def columns(self) -> list[str]:
        """Those without which its rows say nothing."""
        return [one for one in (self.value, self.time, self.series, self.only[0]) if one]


WRITERS = (
    Writer(
        "k6",
        ("metric_name", "timestamp", "metric_value"),
        "metric_value",
        "ms",
        "timestamp",
        only=("metric_name", "http_req_duration"),
    ),
    Writer(
        "JMeter",
        ("timeStamp", "elapsed", "label"),
        "elapsed",
        "ms",
        "timeStamp",
        "ms",
        series="label",
        success="success",
        loop="closed",
        note="JMeter tells whole ms: percentiles below 100 ms come in steps",
    ),
    Writer("oha", ("request-start", "request-duration", "bytes", "status"), "request-duration", "s", "request-start"),
    Writer(
        "hey",
        ("response-time", "status-code", "offset"),
        "response-time",
        "s",
        "offset",
        loop="closed",
        note="hey tells steps of 0.1 ms",
    ),
)
VEGETA = Writer("vegeta", (), "f2", "ns", "f0", "ns", loop="open", columns_said="vegeta's columns")
VEGETA_ROW = re.compile(rb"\d{18,19},\d{3},\d+,\d+,\d+,")
# What JMeter writes with print_field_names=false: its default columns, of which the last may be left out.
JMETER_COLUMNS = ("timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType")
JMETER_COLUMNS += ("success", "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency")
JMETER_COLUMNS += ("IdleTime", "Connect")
JMETER = replace(
    next(one for one in WRITERS if one.tool == "JMeter"),
    header=JMETER_COLUMNS,
    columns_said="taken for JMeter's default columns",
)
JMETER_ROW = re.compile(r"\d{13},\d+,(?:[^,]*,){5}(?:true|false),")


def writer_of(names: list[str]) -> Writer | None:
    return next((one for one in WRITERS if set(one.header) <= set(names)), None)


def unit_of(name: str) -> str:
    """The unit that a column's name ends with: `latency_us`, `latency (ms)`."""
    told = UNIT_OF.fullmatch(name.strip().lower())
    if told is None:
        return ""
    word = told[1].removesuffix("econds") if told[1] not in ("seconds",) else told[1]
    return WORDS.get(word, units.ALSO.get(word, word))
