"""The JSON schema of SARIF 2.1.0, fetched by package name: it is not ours to keep in the tree."""
import json, os, pathlib, subprocess, tarfile, tempfile

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"  # MIT; ships the schema of the standard (2.1.0-rtm.5)
MEMBER = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


def fetch(folder):
    """Once per folder. Raises AssertionError when it cannot be had: a log that was not validated has not passed."""
    kept = pathlib.Path(folder) / "sarif-2.1.0.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="heddle-schema-") as work:
            try:
                done = subprocess.run(["npm", "pack", "--prefer-offline", "--loglevel=error", PACKAGE],
                                      cwd=work,
                                      stdin=subprocess.DEVNULL,
                                      capture_output=True,
                                      text=True,
                                      timeout=180)
            except (OSError, subprocess.TimeoutExpired) as why:
                raise AssertionError(f"the SARIF schema cannot be fetched: npm pack {PACKAGE}: {why}")
            packed = list(pathlib.Path(work).glob("*.tgz"))
            assert done.returncode == 0 and packed, f"the SARIF schema cannot be fetched: npm pack {PACKAGE}: {done.stderr[:300]}"
            with tarfile.open(packed[0]) as archive:
                text = archive.extractfile(MEMBER).read()
            part = kept.with_suffix(f".{os.getpid()}")
            part.write_bytes(text)
            part.rename(kept)
    return json.loads(kept.read_text())


def validator(folder):
    try:
        import jsonschema
    except ImportError:
        raise AssertionError("python3-jsonschema is not installed: scripts/install-deps --tests does that")
    schema = fetch(folder)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema, format_checker=jsonschema.FormatChecker())


def problems(checker, log):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in checker.iter_errors(log)]
