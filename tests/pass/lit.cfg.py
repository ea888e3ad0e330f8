# lit configuration; started by tests/pass/run.
import os

import lit.formats

config.name = "heddle-pass"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cc", ".ll", ".test"]
config.excludes = ["Support", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
tree = lit_config.params["tree"]
config.test_exec_root = os.path.join(tree, "out")
llvm = "/usr/lib/llvm-19/bin"
config.environment["PATH"] = llvm + ":" + os.environ["PATH"]
config.environment.pop("HEDDLE_TEST", None)
for name, value in [
    ("%cc", f"{tree}/bin/heddle-cc"),
    ("%c\\+\\+", f"{tree}/bin/heddle-c++"),
    ("%plugin", f"{tree}/lib/heddle/heddle-pass.so"),
    ("%opt", f"opt -load-pass-plugin={tree}/lib/heddle/heddle-pass.so -passes=heddle"),
    ("%sites", f"python3 {config.test_source_root}/Support/sites.py"),
    ("%frames", f"python3 {config.test_source_root}/Support/frames.py"),
    ("%root", lit_config.params["root"]),
    ("%inputs", f"{config.test_source_root}/Inputs"),
    ("%tree", tree),
    ("%off", "env HEDDLE_TEST=off"),
    ("%count", "env HEDDLE_TEST=count"),
]:
    config.substitutions.append((name, value))
