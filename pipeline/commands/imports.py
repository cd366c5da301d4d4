"""`lab import`: whatever comes from elsewhere becomes an ordinary run, recognised by what is in it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from pipeline.commands import collection
from pipeline.commands.options import Json, console
from pipeline.ground.errors import LabError

app = typer.Typer()


@app.command("import")
def import_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="files, GROUP=FILES, or a pattern; see above")],
    name: Annotated[str, typer.Option("--as", help="name of the run; default: own- and its content id")] = "",
    form: Annotated[str, typer.Option("--format", help="where it is not recognised: hlog, hgrm, jmh, ...")] = "",
    unit: Annotated[str, typer.Option("--unit", help="of recorded values, where no file tells it: ns, us, ms, s")] = "",
    series: Annotated[list[str] | None, typer.Option("--series", help="only these, a glob; repeatable")] = None,
    start: Annotated[float | None, typer.Option("--from", help="seconds from each session's start")] = None,
    end: Annotated[float | None, typer.Option("--to", help="seconds from each session's start")] = None,
    limit: Annotated[str, typer.Option("--limit", help="that latencies should keep: '99.9: 10 ms, 99: 2 ms'")] = "",
    opened: Annotated[bool, typer.Option("--open", help="requests begin when they are meant to")] = False,
    closed: Annotated[bool, typer.Option("--closed", help="a client waits for its answer")] = False,
    paired: Annotated[bool, typer.Option("--paired", help="sessions were measured in turn: A1 B1 A2 B2")] = False,
    controls: Annotated[
        list[str] | None, typer.Option("--controls", help="what the change cannot reach, a glob; repeatable")
    ] = None,
    value: Annotated[str, typer.Option("--value", help="of CSV: the column of latencies")] = "",
    time: Annotated[str, typer.Option("--time", help="of CSV: the column of times")] = "",
    column: Annotated[str, typer.Option("--series-column", help="of CSV: the column that names series")] = "",
    host: Annotated[str, typer.Option("--host", help="what it ran on, for the footers of figures")] = "",
    title: Annotated[str, typer.Option("--title", help="of the page")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="in place of an imported run of that name")] = False,
    page: Annotated[bool, typer.Option("--page/--no-page", help="draw the page and its figures")] = True,
    workers: Annotated[
        int | None,
        typer.Option("--workers", help="of shared runs: processes; default: one for each CPU from 4 files on; 0: none"),
    ] = None,
    scheduler: Annotated[
        str, typer.Option("--scheduler", help="of shared runs: a Dask scheduler of this machine, tcp://127.0.0.1:PORT")
    ] = "",
    dry: Annotated[bool, typer.Option("--dry-run", help="read and say what it is; write nothing")] = False,
    as_json: Json = False,
) -> None:
    """Import your own measurements: a run with page and figures, which every other command takes by its name.

    lab import old.hlog                                  what is it?
    lab import before=old/*.hlog after=new/*.hlog        two groups, every file a session
    lab import 'runs/{group}/{run}/client{part}.hlog'    group, run, part; any other name is an axis
    lab import lab-*.tgz                                 runs that others shared (lab share)

    Formats are recognised by what is in a file. The unit of replication is
    the session, one invocation of your tool: two and more on each side have
    a verdict. Then: lab compare RUN:before RUN:after, lab kit percentiles
    --run RUN, lab check FILE, make lab.
    """
    if given := collection.shared(files):
        collection.take(given, dry, workers, scheduler)
        return
    if workers is not None or scheduler:
        raise LabError("--workers and --scheduler are for runs that others shared (lab share)")
    from pipeline.foreign.reading import Options
    from pipeline.own import deduplicate, importer, sessions
    from pipeline.own.run_info import Asked

    if opened and closed:
        raise LabError("--open and --closed: the load is one of the two")
    options = Options(unit, tuple(series or ()), start, end, value, time, column)
    loop = "open" if opened else "closed" if closed else ""
    asked = Asked(name, form, limit, paired, tuple(controls or ()), loop, host, title, replace)
    read = sessions.read(importer.words(files), options, asked.format, asked.paired)
    if dry:
        for one, several in zip(read, deduplicate.notes(read), strict=True):
            found = one.found
            named = f"{one.session.group}  {', '.join(path.name for path in one.session.files)}"
            notes = "".join(f"; {note}" for note in several)
            told = f"{named}: {one.format} ({found.tool}), {importer.described(found)}{notes}"
            console.print(told, soft_wrap=True, highlight=False, markup=False)
        return
    run = importer.write(read, options, asked)
    _told(run, page, as_json)


def _told(run: str, page: bool, as_json: bool) -> None:
    """Say what was imported, and where the rest is."""
    from pipeline.ground import paths
    from pipeline.own import report
    from pipeline.own.entry import NAME
    from pipeline.session.session import Session

    made = None
    if page:
        from pipeline.publish import single_page

        made = single_page.build(run, console)
    lab = Session(NAME, run, measuring=False)
    found = report.comparisons(lab)
    if as_json:
        print(json.dumps(report.as_json(lab, found) | {"run": run, "page": str(made or "")}))
        return
    for line in report.printed(lab, found):
        console.print(line, soft_wrap=True, highlight=False)
    if made:
        names = ", ".join(sorted(file.stem for file in paths.figures(run).glob("*.json")))
        console.print(f"page    {made}\nfigures {names}", soft_wrap=True, highlight=False)
    console.print(f"run     {run}", soft_wrap=True, highlight=False)
