"""leveldb: C++; a lock-free skip list, a write queue in which one thread writes for others, a background thread that compacts."""
import re
from real import Program


def right(folder, output):
    return None if not output or re.search(r"readrandom .*\((\d+) of \d+ found\)",
                                           output) else f"another output: {output[-300:]}"


PROGRAM = Program(
    package="leveldb",
    needs=["cmake", "libsnappy-dev", "libgtest-dev"],
    build=
    "cmake -S . -B made -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_SHARED_LIBS=OFF -DLEVELDB_BUILD_TESTS=OFF"
    " -DLEVELDB_BUILD_BENCHMARKS=OFF > made.log && make -C made -j{jobs} leveldb"
    " && $CXX -O2 -g -std=c++17 -DLEVELDB_PLATFORM_POSIX=1 -I. -Iinclude -Imade/include benchmarks/db_bench.cc util/testutil.cc util/histogram.cc"
    " made/libleveldb.a -lsnappy -lgtest -pthread -o made/db_bench",
    made="made/db_bench",
    command=[
        "{program}", "--benchmarks=fillrandom,readrandom", "--threads=3", "--num=300", "--write_buffer_size=65536",
        "--db=db"
    ],
    right=right,
    hunt=("--cwd-copy", ))
