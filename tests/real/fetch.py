"""Debian source packages by name, with a source list and state of our own: the machine's are read, never written."""
import pathlib, re, shutil, subprocess

APT = pathlib.Path("/etc/apt")


def source_entries():
    """What the machine installs from, asked for sources: (file name, text) of each list in use."""
    files = [p for p in [APT / "sources.list", *sorted((APT / "sources.list.d").glob("*"))] if p.is_file()]
    for path in files:
        text = "\n".join(l for l in path.read_text().splitlines() if not l.lstrip().startswith("#"))
        if path.suffix == ".sources":
            yield path.name, re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)
        elif path.suffix == ".list":
            lines = [re.sub(r"^\s*deb\s", "deb-src ", l) for l in text.splitlines() if re.match(r"\s*deb\s", l)]
            if lines:
                yield path.name, "\n".join(lines) + "\n"


class Sources:
    """Fetches and unpacks below `folder`. What is there already is taken as it is."""

    def __init__(self, folder, run):
        self.folder, self.run, self.updated = folder, run, False
        self.state = folder / "apt"

    def options(self):
        values = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": self.state / "parts",
            "Dir::State::lists": self.state / "lists",
            "Dir::Cache": self.state / "cache",
            "APT::Sandbox::User": "root",
            "APT::Get::List-Cleanup": "false"
        }
        return [word for key, value in values.items() for word in ("-o", f"{key}={value}")]

    def update(self):
        for part in ("parts", "lists/partial", "cache/archives/partial"):
            (self.state / part).mkdir(parents=True, exist_ok=True)
        for name, text in source_entries():
            (self.state / "parts" / name).write_text(text)
        self.run(["apt-get", *self.options(), "-q", "update"], self.folder, 300)
        self.updated = True

    def get(self, package, patched=True):
        """The unpacked source tree, as Debian patched it, or as its authors released it; the same on every call."""
        tree = self.folder / package
        if tree.is_dir():
            return tree
        if not self.updated:
            self.update()
        downloads = self.folder / f"{package}.download"
        shutil.rmtree(downloads, ignore_errors=True)
        downloads.mkdir(parents=True)
        self.run([
            "apt-get", *self.options(), "-q", "source", "--download-only", *([] if patched else ["--tar-only"]), package
        ], downloads, 300)
        if patched:
            self.run(["dpkg-source", "--extract", next(downloads.glob("*.dsc")), tree], downloads, 120)
        else:
            unpacked = downloads / "unpacked"
            unpacked.mkdir()
            self.run(["tar", "-xf",
                      next(downloads.glob("*.orig.tar.*")), "-C", unpacked, "--strip-components=1"], downloads, 120)
            unpacked.rename(tree)
        return tree
