"""The report: a static site from the executed notebooks that opens from disk and asks the network for nothing."""

from __future__ import annotations

import io
import json
import re
import shutil
import warnings
from pathlib import Path

from rich.console import Console

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.declared import plain
from pipeline.ground import digest, durable, paths
from pipeline.ground.errors import LabError
from pipeline.publish import loading
from pipeline.publish.page import Page
from pipeline.session import results

STATIC = Path(__file__).resolve().parent / "static"
# Of small letters, and each begins with what is searched for fast: pages are megabytes of pictures.
EXTERNAL = tuple(
    re.compile(pattern)
    for pattern in (
        r"""<(?:script|img|link|iframe|source|video|audio|embed|object)\b[^>]*?\s(?:src|href|data|srcset)=["']?(https?:)?//""",
        r"""url\(\s*["']?(?:https?:)?//""",
        r"""@import\s+["'](?:https?:)?//""",
    )
)
SETTINGS = {
    "project": "Mechanical Sympathy Lab",
    "html_title": "Mechanical Sympathy Lab",
    "extensions": ["myst_nb", "pipeline.publish.mathml"],
    "html_math_renderer": "mathml",
    "html_theme": "furo",
    "html_static_path": [str(STATIC)],
    "html_css_files": ["lab.css"],
    "html_js_files": [("png.js", {"defer": "defer"})],
    "html_theme_options": {
        "light_css_variables": {"color-brand-primary": "#0b5fa5", "color-brand-content": "#0b5fa5"},
        "dark_css_variables": {"color-brand-primary": "#6db6f2", "color-brand-content": "#6db6f2"},
    },
    "html_show_copyright": False,
    "html_show_sourcelink": False,
    "html_copy_source": False,
    "html_use_index": False,
    "smartquotes": False,
    "nb_execution_mode": "off",
    "nb_ipywidgets_js": {},
    "nb_code_prompt_show": "Code",
    "nb_code_prompt_hide": "Code",
    "myst_enable_extensions": ["dollarmath", "colon_fence", "deflist"],
    "myst_heading_anchors": 3,
}


def build(run: str, pages: list[Page], console: Console | None = None) -> Path:
    """Build the site of a run from its pages; the path of its first page.

    Skipped when nothing it is made of has changed. The old site stays in place until the new one is complete.
    Raises LabError when there is no such run.
    """
    console = console or Console()
    bundle = Bundle.open(run)
    out = paths.report()
    source, figures = paths.build() / run / "site", paths.figures(run)
    now = key(bundle, pages)
    if (out / "index.html").exists() and _read(out / ".stamp") == now:
        return out / "index.html"
    loading.nbformat()
    # Slow to load: a site that is up to date needs none of them.
    from pipeline.analyse import verdicts
    from pipeline.publish import first_page, page_sources

    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    instruments = [page for page in pages if page.entry.instrument]
    for page in pages:
        page_sources.write(page, bundle, source, instruments)
    tested = {p.entry.name: p.entry for p in pages if p.kept.verdicts is not None}
    index = first_page.write(bundle, pages, verdicts.untested(tested), figures)
    (source / "index.md").write_text(index, encoding="utf-8")
    fresh = out.with_name(out.name + ".part")
    shutil.rmtree(fresh, ignore_errors=True)
    told = _sphinx(source, fresh, paths.build() / run / "doctrees")
    _copy(pages, figures, fresh)
    told += [f"{name} asks the network for a resource" for name in external_resources(fresh)]
    (source / "warnings.txt").write_text("\n".join(told) + "\n", encoding="utf-8")
    if told:
        console.print(
            f"The report was built with {len(told)} warning(s), the first: {told[0]}", soft_wrap=True, markup=False
        )
    durable.write(fresh / ".stamp", now)
    shutil.rmtree(out, ignore_errors=True)
    fresh.rename(out)
    return out / "index.html"


def one(source: Path, out: Path, pages: list[Page], console: Console) -> None:
    """Build a site of the sources in a folder and of nothing else; `pages`: whose figures lie next to it."""
    run = source.parent
    shutil.rmtree(out, ignore_errors=True)
    told = _sphinx(source, out, run / "doctrees")
    _copy(pages, run / "figures", out)
    told += [f"{name} asks the network for a resource" for name in external_resources(out)]
    if told:
        console.print(f"The page was built with {len(told)} warning(s), the first: {told[0]}", markup=False)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def key(bundle: Bundle, pages: list[Page]) -> str:
    """Digest of everything the site is made of."""
    files = [*digest.code("publish"), paths.published() / "claims.csv"]
    measured = bundle.read_raw(journal.FILE).decode() if bundle.has_journal else ""
    words = [json.dumps(bundle.info, sort_keys=True), measured]
    for page in pages:
        words += [json.dumps(plain(page.entry)), page.result.failed]
        files += [page.result.notebook, *results.files(bundle.name, page.entry.name)]
        files += _figure_files(page, paths.figures(bundle.name))
    return digest.files(files, *words)


def _figure_files(page: Page, figures: Path) -> list[Path]:
    files = [figures / f"{name}{suffix}" for name in page.figures for suffix in (".svg", "-dark.svg", ".csv", ".json")]
    return [file for file in files if file.exists()]


def _copy(pages: list[Page], figures: Path, out: Path) -> None:
    """Put the figures' files and the executed notebooks beside the pages that link to them."""
    for name in ("figures", "notebooks"):
        (out / name).mkdir(parents=True, exist_ok=True)
    for page in pages:
        for file in _figure_files(page, figures):
            shutil.copyfile(file, out / "figures" / file.name)
        if page.result.notebook.exists():
            shutil.copyfile(page.result.notebook, out / "notebooks" / page.result.notebook.name)


def _sphinx(source: Path, out: Path, doctrees: Path) -> list[str]:
    """Run Sphinx; its warnings, one line each. LabError when it cannot build at all."""
    loading.myst_nb()
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    told = io.StringIO()
    shutil.rmtree(doctrees, ignore_errors=True)
    with warnings.catch_warnings(), patch_docutils(), docutils_namespace():
        warnings.simplefilter("ignore")
        try:
            app = Sphinx(
                source, None, out, doctrees, "html", confoverrides=SETTINGS, status=None, warning=told, freshenv=True
            )
            app.build()
        except Exception as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise LabError(f"the report cannot be built: {first}; its sources are in {source}", 1) from None
    plain = re.sub(r"\x1b\[[0-9;]*m", "", told.getvalue())
    return [line.replace(f"{source}/", "") for line in plain.splitlines() if line.strip()]


def external_resources(folder: Path) -> list[str]:
    """Names of the pages and style sheets under `folder` that load something over the network. Links do not count."""

    def asks(file: Path) -> bool:
        text = file.read_text(encoding="utf-8", errors="replace").lower()
        return any(pattern.search(text) for pattern in EXTERNAL)

    files = sorted(p for p in folder.rglob("*") if p.suffix in (".html", ".css", ".svg"))
    return [str(p.relative_to(folder)) for p in files if asks(p)]
