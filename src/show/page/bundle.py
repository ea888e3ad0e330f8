#!/usr/bin/env python3
"""Makes page.cc: the viewer as four pieces of text, between which a trace's title, events and tables go.

    bundle.py OUTPUT

The page may load nothing and run nothing but its own script and style: their hashes are its content security policy.
"""
import base64, hashlib, pathlib, sys

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = [
    "data", "words", "paint", "lanes", "marks", "overview", "view", "list", "details", "search", "header", "main"
]
END = "heddle_page"


def source(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def main():
    style = "\n" + (HERE / "style.css").read_text()
    parts = [(HERE / f"{name}.js").read_text() for name in SCRIPTS]
    script = '\n"use strict";\n(() => {\n' + "".join(parts) + "})();\n"
    assert "</script" not in script.lower() and "</style" not in style.lower() and f"){END}" not in script
    policy = f"default-src 'none'; script-src {source(script)}; style-src {source(style)}; base-uri 'none'; form-action 'none'"
    page = (HERE / "page.html").read_text()
    for key, text in {"policy": policy, "style": style, "script": script}.items():
        assert page.count("{{" + key + "}}") == 1, key
        page = page.replace("{{" + key + "}}", text)
    pieces, rest = [], page
    for key in ("title", "events", "data"):
        piece, rest = rest.split("{{" + key + "}}")
        pieces.append(piece)
    literals = ",\n".join(f'    R"{END}({piece}){END}"' for piece in (*pieces, rest))
    pathlib.Path(sys.argv[1]).write_text(
        f'// Made by src/show/page/bundle.py.\n#include "src/show/page.h"\n\n'
        f"namespace heddle {{\nconst std::string_view kPage[4] = {{\n{literals}}};\n}}  // namespace heddle\n")


main()
