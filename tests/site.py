"""site.py FOLDER: a site is whole and needs no network: every link inside of it leads to a file, and to a place in it where it names one,
and no page loads anything from elsewhere."""

import html.parser
import sys
import urllib.parse
from pathlib import Path


class Page(html.parser.HTMLParser):
    """What a page refers to, what it loads, and the places that have a name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.names.update(value for value in (values.get("id"), values.get("name") if tag == "a" else None) if value)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.loads.append(values["src"])
        if tag == "link" and values.get("rel") != "canonical" and values.get("href"):
            self.loads.append(values["href"])


def problems(site):
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        for target in page.links + page.loads:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loads and parts.scheme not in ("data", "javascript"):
                    yield f"{path}: loads {target}"
                continue
            name = urllib.parse.unquote(parts.path)
            file = path if not name else (site / name.lstrip("/") if name.startswith("/") else path.parent / name).resolve()
            if not file.is_file():
                yield f"{path}: no file {target}"
            elif parts.fragment and file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].names:
                yield f"{path}: no place {target}"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1]).resolve()))
    print("\n".join(found), file=sys.stderr)
    sys.exit(bool(found))
