// libtsan.so.2 for programs of ours: nothing. A shared library that gcc linked with -fsanitize=thread asks for that
// library by name; what it calls is in the executable. `heddle cc` sees to it that this one is found
// (tools/cc_libraries.h).
typedef int nothing;
