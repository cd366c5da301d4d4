"""As many hosts as a test asks for: those that come with the Lab, their numbers moved by a factor of each one's."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.collection import hosts, summary

MODELS = ("AMD EPYC 7763", "Intel(R) Xeon(R) Gold 6148", "AMD Ryzen 9 7950X", "Neoverse-N1", "Intel(R) Core(TM) i7")
MOVED = {"estimates": ("estimate", "low", "high"), "curves": ("value", "least", "most")}


def write(folder: Path, count: int, seed: int = 1) -> list[Path]:
    """`count` summaries below `folder`, as imported runs have them."""
    chance, known = random.Random(seed), sorted(file.parent for file in hosts.committed().glob(f"*/{summary.HOST}"))
    tables = {one: {name: pq.read_table(one / f"{name}.parquet") for name in MOVED} for one in known}
    made = []
    for number in range(count):
        source, factor = known[number % len(known)], chance.lognormvariate(0, 0.4)
        target = folder / f"host-{number:04d}" / "summary"
        told = copied(source, target, number)
        told["host"]["cpu"] |= {
            "model": MODELS[number % len(MODELS)],
            "hypervisor": ("KVM", "none seen")[number % 3 // 2],
        }
        told["noisy"] = chance.randrange(told["trials"] // 4)
        told["shared"] = {"licence": "CC-BY-4.0", "label": f"{MODELS[number % len(MODELS)]} no. {number}"}
        (target / summary.HOST).write_text(json.dumps(told), encoding="utf-8")
        for name, table in tables[source].items():
            for column in MOVED[name]:
                at = table.schema.get_field_index(column)
                table = table.set_column(at, table.schema.field(at), pc.multiply(table[column], factor))
            pq.write_table(table, target / f"{name}.parquet", compression="zstd", store_schema=False)
        made.append(target)
    return made


def copied(source: Path, target: Path, number: int) -> dict[str, Any]:
    """A summary as that of another machine, which has the same numbers; what it tells."""
    target.mkdir(parents=True)
    for name in summary.TABLES:
        shutil.copyfile(source / f"{name}.parquet", target / f"{name}.parquet")
    told = json.loads((source / summary.HOST).read_text(encoding="utf-8"))
    told |= {"id": f"{number:012x}", "shared": {"label": f"host {number}"}}
    told["host"]["memory_bytes"] = (number + 1) << 30
    (target / summary.HOST).write_text(json.dumps(told), encoding="utf-8")
    return told
