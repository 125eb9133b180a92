"""Prepares the metadata of a release for PyPI, where links into the repository must be absolute.

    .venv/bin/python scripts/release_metadata.py https://HOST/OWNER/NAME [--reference v0.1.0]

It writes `py/README.md`, the README with absolute links, and lets `py/pyproject.toml` name it and the project's URLs.
`make build` makes the wheel then; `git checkout py/pyproject.toml` takes it back.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")
READMES = ('readme = "../README.md"', 'readme = "README.md"')
#: What PyPI shows beside the text, by the file or page that it leads to.
URLS = {
    "Homepage": "",
    "Documentation": "/blob/{reference}/docs/README.md",
    "Changelog": "/blob/{reference}/CHANGELOG.md",
    "Issues": "/issues",
    "Source": "",
}


def absolute(text: str, repository: str, reference: str) -> str:
    """A page of the repository's root with absolute links."""
    return LINK.sub(lambda link: f"]({repository}/blob/{reference}/{link[1]})", text)


def with_urls(text: str, repository: str, reference: str) -> str:
    """The text of `pyproject.toml` with the project's URLs and the readme beside it."""
    if READMES[0] not in text or "[project.urls]" in text:
        sys.exit("py/pyproject.toml is prepared already; `git checkout py/pyproject.toml` takes it back")
    urls = "".join(f'{name} = "{repository}{path.format(reference=reference)}"\n' for name, path in URLS.items())
    before, table, after = text.replace(*READMES).partition("[project.optional-dependencies]")
    return f"{before}[project.urls]\n{urls}\n{table}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", help="its address, such as https://HOST/OWNER/NAME")
    parser.add_argument("--reference", default="main", help="the tag or branch that links lead to")
    options = parser.parse_args()
    repository = options.repository.rstrip("/").removesuffix(".git")
    if not repository.startswith("https://"):
        parser.error("the address begins with https://")
    project = ROOT / "py/pyproject.toml"
    project.write_text(with_urls(project.read_text(encoding="utf-8"), repository, options.reference), encoding="utf-8")
    readme = absolute((ROOT / "README.md").read_text(encoding="utf-8"), repository, options.reference)
    (ROOT / "py/README.md").write_text(readme, encoding="utf-8")


if __name__ == "__main__":
    main()
