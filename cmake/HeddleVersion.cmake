# cmake -DSOURCE=... -DVERSION=... -DMADE_BY=... -DOUT=... -P HeddleVersion.cmake: writes the source file with what
# `heddle --version` says. It changes only when that does, so that a build without changes compiles nothing.
set(from "sources without git")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE failed ERROR_QUIET)
get_filename_component(here ${SOURCE} REALPATH)
if(NOT failed AND top STREQUAL here)  # not the checkout of another project around an unpacked archive
  execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --dirty=\ with\ local\ changes
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(from "commit ${commit}")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[#include "tools/version.h"

namespace heddle {
const char* const kVersion = "@VERSION@";
const char* const kBuiltFrom = "@from@, by @MADE_BY@";
}  // namespace heddle
]])
