"""Programs of tests/programs as heddle built them, kept in the build folder: several tests run the same ones.

They belong to one build of heddle: of its compiler, pass, runtime and headers. Another build makes its own and drops
these.
"""
import functools, hashlib, os, pathlib, shutil, tempfile


@functools.cache
def folder_of(heddle):
    """None: heddle lies in no build folder with tests."""
    home = heddle.parent.parent
    if not (home / "tests").is_dir():
        return None
    parts = [heddle, *sorted((home / "lib/heddle").rglob("*")), *sorted((home / "include").rglob("*"))]
    stamps = [(str(part), part.stat().st_size, part.stat().st_mtime_ns) for part in parts if part.is_file()]
    top = home / "tests/programs"
    folder = top / hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        for other in top.iterdir():
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def build_once(heddle, words, source, exe, build):
    """What `build()` returns, which compiles `source` to `exe` with these `words`; or (0, "", "") where a copy of an
    earlier result does."""
    folder = folder_of(pathlib.Path(heddle))
    if folder is None:
        return build()
    kept = folder / hashlib.sha256(repr((words, str(source), source.read_bytes())).encode()).hexdigest()[:32]
    if kept.is_file():
        shutil.copy(kept, exe)
        return 0, "", ""
    made = build()
    if made[0] == 0:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
            shutil.copy(exe, part.name)
        os.replace(part.name, kept)  # whole, whoever else builds the same
    return made
