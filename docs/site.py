"""What mkdocs has to know of this repository (hooks of mkdocs.yml): pages outside docs/, source files that pages link to, the reference of
the C library that doxygen has written to the folder STEPSIM_API, and the navigation, which is that of index.md."""

import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\])\(([^)\s:#]+)(#[^)\s]*)?\)")
HOME = "start.md"  # README.md: index.md is that of docs/
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "validation/README.md"]
API = "api/stepsim_8h.html"  # what a link to the header leads to


def to_site(path):
    """Where a file of the repository is in the site."""
    if path == "README.md":
        return HOME
    if path == "include/stepsim.h" and "STEPSIM_API" in os.environ:
        return API
    return path[len("docs/"):] if path.startswith("docs/") else path


def to_repository(site):
    """The reverse, of a page."""
    return next((path for path in PAGES if to_site(path) == site), "docs/" + site)


def text_of(page):
    return (ROOT / page).read_text()


def linked(page):
    """The files of the repository that a page links to."""
    for _, target, _ in LINK.findall(text_of(page)):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def documents():
    return sorted("docs/" + path.name for path in (ROOT / "docs").glob("*.md"))


def on_config(config):
    """The navigation: the sections of index.md with the pages that they link to, and pages that it does not name."""
    sections, seen = [], set()
    for part in re.split("^## ", text_of("docs/index.md"), flags=re.MULTILINE):
        pages = []
        for _, target, _ in LINK.findall(part):
            path = to_site(posixpath.normpath(posixpath.join("docs", target)))
            if path.endswith(".md") and path not in seen:
                seen.add(path)
                pages.append(path)
        title = part.split("\n")[0]
        sections += pages if not sections else [{title: pages}] if pages else []
    rest = [to_site(path) for path in documents() + PAGES if to_site(path) not in seen | {"index.md"}]
    library = [{"The C library": "api/index.html"}] if "STEPSIM_API" in os.environ else []
    config["nav"] = ["index.md", *sections, {"More": rest + library}]
    return config


def on_files(files, config):
    """Of docs/, the pages and their pictures; then what pages link to, pages outside docs/ and the reference."""
    def add(path, folder):
        if files.get_file_from_path(path) is None:
            files.append(File(path, str(folder), config["site_dir"], config["use_directory_urls"]))

    for file in list(files):
        if Path(file.abs_src_path).is_relative_to(ROOT / "docs") and Path(file.src_path).suffix not in (".md", ".svg", ".png"):
            files.remove(file)
    for page in PAGES:
        if page != "README.md":
            add(page, ROOT)
    home = Path(config["site_dir"] + ".pages")
    home.mkdir(parents=True, exist_ok=True)
    (home / HOME).write_text(text_of("README.md"))
    add(HOME, home)
    for page in documents() + PAGES:
        for path in linked(page):
            if (ROOT / path).is_file() and to_site(path) == path and path != "include/stepsim.h":
                add(path, ROOT)
    if "STEPSIM_API" in os.environ:
        reference = Path(os.environ["STEPSIM_API"])
        for path in sorted(reference.rglob("*")):
            if path.is_file():
                add(str(path.relative_to(reference.parent)), reference.parent)
    return files


def on_page_markdown(markdown, page, config, files):
    """Links as they are in the site; a folder has no page, and what leads to one is text."""
    source = to_repository(page.file.src_path)

    def link(match):
        label, target, anchor = match.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if (ROOT / path).is_dir():
            return label[1:-1]
        return f"{label}({posixpath.relpath(to_site(path), posixpath.dirname(page.file.src_path) or '.')}{anchor or ''})"

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
