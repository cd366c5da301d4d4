"""The workers of a Dask cluster that somebody else started: one is chosen on each machine and given its resource.

There the scheduler's settings are not ours, and a worker that was started anew comes back without the resource. So the
cluster is looked at again and again.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from distributed import Client, Worker

from pipeline.fleet import hello
from pipeline.fleet.hosts import Answer
from pipeline.fleet.launch import PATIENCE_S, resource
from pipeline.ground.errors import LabError

LOOK_S = 15.0
OUTSIDE = "is not in the Lab's environment: start it as .venv/bin/python -m dask worker ... in a checkout"


async def give(name: str, dask_worker: Worker) -> None:
    """On a worker: take the resource of its host."""
    await dask_worker.set_resources(**{name: 1})


class Cluster:
    """The machines of a cluster, each called by its id."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.addresses: dict[str, str] = {}  # machine -> the worker chosen there
        self.seen: dict[str, float] = {}
        self.strange: list[str] = []  # workers that did not answer when they were looked at last
        self._known: dict[str, dict[str, Any]] = {}  # worker -> facts of its machine

    async def __aenter__(self) -> Cluster:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._looking.cancel()

    async def found(self) -> list[Answer]:
        """What the machines are; LabError when there is none, or a worker is not of the Lab or of another revision."""
        self._looking = asyncio.create_task(asyncio.sleep(0))
        await self._look()
        if self.strange:
            raise LabError(f"worker {self.strange[0]} {OUTSIDE}")
        if not self._known:
            raise LabError("the scheduler has no worker; start one on each host, as docs/fleet.md shows", 5)
        answers = {facts["machine"]: Answer(facts["machine"], facts) for facts in self._known.values()}
        here = hello.revision()
        for worker, facts in self._known.items():
            if facts["revision"] != here:
                raise LabError(f"worker {worker} has revision {facts['revision']}, this is {here}: update one of them")
            if not facts["built"]:
                raise LabError(f"worker {worker}: its harnesses are not built: make harness in its checkout")
            if facts["boot"] != answers[facts["machine"]].facts["boot"]:
                raise LabError(f"worker {worker}: two hosts have its machine id; give each its own")
        self._looking = asyncio.create_task(self._keep_looking())
        return [answers[name] for name in sorted(answers)]

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            await self._look()

    async def _look(self) -> None:
        """Ask new workers what they are, and choose one on each machine that has none."""
        there = list((await self.client.scheduler.identity(n_workers=-1))["workers"])
        new = [worker for worker in there if worker not in self._known]
        told = await self.client.run(hello.of_worker, workers=new, on_error="return") if new else {}
        # An answer that is no mapping is an exception: what cannot answer is not of the Lab, or on its way out.
        self._known |= {worker: facts for worker, facts in told.items() if isinstance(facts, dict)}
        self.strange = [worker for worker, facts in told.items() if not isinstance(facts, dict)]
        self._known = {worker: facts for worker, facts in self._known.items() if worker in there}
        for worker in sorted(self._known):
            machine = self._known[worker]["machine"]
            if self.addresses.get(machine) not in self._known:
                await self.client.run(give, resource(machine), workers=[worker])
                self.addresses[machine] = worker
        self.seen |= {facts["machine"]: time.monotonic() for facts in self._known.values()}

    def address(self, host: str) -> str:
        chosen = self.addresses.get(host, "")
        return chosen if chosen in self._known else ""

    async def gone(self, host: str) -> str:
        while time.monotonic() - self.seen[host] < PATIENCE_S + LOOK_S:
            if self._looking.done():
                return str(self._looking.exception() or "the cluster is no longer looked at")
            await asyncio.sleep(1.0)
        return "its worker left the cluster"
