"""Files prepared by the workers of a Dask cluster of this machine, several processes, which hand them back in their
order.

The cluster is one of our own, for as long as the import takes, or one whose scheduler is named. Nothing but 127.0.0.1
is listened on or asked: Dask asks nobody who he is, and whoever reaches it may run what he likes. A worker has the
code, the arithmetic and the folders of this process, or it is not believed. Dask is loaded here and nowhere before.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.collection import staging
from pipeline.collection.staging import Job, Prepared
from pipeline.ground import arithmetic, digest, paths
from pipeline.ground.errors import LabError

MISSING = 5  # exit status
MOST = 256  # workers
LOCAL = ("127.0.0.1", "localhost")
WAIT_S = 10
AHEAD = 2  # files for each worker that are prepared or wait, so that few lie unpacked at a time
QUIET = {"logging": {"distributed": "critical", "tornado": "critical", "bokeh": "critical"}}
# A worker's profile of itself keeps the stacks of an hour: with every file it would take some MB more.
UNPROFILED = {"distributed.worker.profile.enabled": False}
_one = threading.Lock()  # a worker may have several threads; folders and caches are its process's


def workers(count: int) -> Callable[[Sequence[Job]], Iterator[Prepared]]:
    """Who prepares jobs with so many processes of this one's own. LabError without Dask, or for no number of them."""
    if not 1 <= count <= MOST:
        raise LabError(f"--workers {count}: a number from 1 to {MOST}, or 0 for one file after the other without Dask")
    _dask()
    return lambda jobs: _local(jobs, min(count, len(jobs)))


def scheduler(address: str) -> Callable[[Sequence[Job]], Iterator[Prepared]]:
    """Who prepares jobs with the workers of a scheduler of this machine. LabError without Dask, or for another's."""
    kind, _, place = address.rpartition("://")
    host, colon, port = place.rpartition(":")
    if kind not in ("", "tcp") or host not in LOCAL or not colon or not port.isdecimal():
        raise LabError(
            f"--scheduler {address!r}: give tcp://127.0.0.1:PORT; only this machine's are asked, for whoever reaches "
            "a scheduler may run what he likes"
        )
    _dask()
    return lambda jobs: _asked(jobs, f"tcp://127.0.0.1:{port}")


def installed() -> bool:
    """Whether Dask is here."""
    with contextlib.suppress(LabError):
        return bool(_dask())
    return False


def _dask() -> Any:
    try:
        import dask

        dask.config.set(QUIET | UNPROFILED)
        import distributed
    except ImportError:
        raise LabError(
            "several workers need Dask, which is not installed; install it with: sh harness/python.sh sync import, or "
            "import with --workers 0",
            MISSING,
        ) from None
    return distributed


def _local(jobs: Sequence[Job], count: int) -> Iterator[Prepared]:
    distributed = _dask()
    with tempfile.TemporaryDirectory(prefix="lab-import-") as scratch:
        cluster = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            memory_limit=0,
            local_directory=scratch,
            silence_logs="CRITICAL",
        )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield from _prepared(client, jobs, count)


def _asked(jobs: Sequence[Job], address: str) -> Iterator[Prepared]:
    distributed = _dask()
    try:
        client = distributed.Client(address, timeout=WAIT_S, set_as_default=False)
    except (OSError, TimeoutError):
        raise LabError(f"--scheduler {address}: no scheduler answers there", MISSING) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT_S)
        except TimeoutError:
            raise LabError(f"--scheduler {address}: has no worker", MISSING) from None
        yield from _prepared(client, jobs, len(client.nthreads()))


def _prepared(client: Any, jobs: Sequence[Job], workers: int) -> Iterator[Prepared]:
    """Hand out the jobs, not all at once; what came of them, in their order."""
    from distributed.scheduler import KilledWorker

    mine, waiting, left = _mine(), deque(), iter(jobs)
    for _ in jobs:
        while len(waiting) < AHEAD * workers and (job := next(left, None)):
            there = Job(job.file.resolve(), job.stage.resolve())
            future = client.submit(_task, there, mine, pure=False, retries=0, key=job.stage.name)
            waiting.append((job, future))
        job, future = waiting.popleft()
        try:
            told = future.result()
        except KilledWorker:
            told = {"refused": "ended the worker that read it; import it alone, with --workers 0"}
        except (ImportError, AttributeError) as error:  # the worker has no Lab, or one without this module
            raise LabError(f"a worker of the scheduler has another version of the Lab ({error})", MISSING) from None
        yield Prepared(job, **told)


def _mine() -> dict[str, str]:
    """What a worker must have in common with this process."""
    places = {"LAB_RUNS": paths.runs(), "LAB_BUILD": paths.build(), "LAB_CATALOGUE": paths.catalogue()}
    return {"code": digest.files(digest.code())} | {name: str(place.resolve()) for name, place in places.items()}


def _task(job: Job, theirs: Mapping[str, str]) -> dict[str, str]:
    """In a worker: prepare a file; all of Prepared but the job."""
    with _one:
        os.environ.update({name: place for name, place in theirs.items() if name.startswith("LAB_")})
        if _mine() != theirs or arithmetic.environment(os.environ) != dict(os.environ):
            raise LabError(
                "a worker of the scheduler has other code or arithmetic; start it from this checkout with: "
                "python -m pipeline.ground.arithmetic dask worker ADDRESS",
                MISSING,
            )
        if not job.stage.parent.is_dir() or not job.file.is_file():
            raise LabError("a worker of the scheduler does not see the files; start it on this machine", MISSING)
        # What a worker left that was lost, when its job is done again.
        staging.away(job.stage)
        told = staging.prepare(job)
    return {name: value for name, value in vars(told).items() if name != "job"}
