# Functions that every CMakeLists.txt of the tree uses.

# The headers of the standard library and of fmt that most files include, compiled once.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without, and shows which file lacks an #include of its own.
set(HEDDLE_COMMON_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstring> <expected> <filesystem>
    <fstream> <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread>
    <unordered_map> <utility> <vector> <fmt/format.h>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/no_code.cc CONTENT "" @ONLY)

# heddle_add_headers(heddle_headers LIBS fmt::fmt HEADERS <vector>): a precompiled header for other targets.
function(heddle_add_headers name)
  cmake_parse_arguments(ARG "" "" "LIBS;HEADERS;OPTIONS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/no_code.cc)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  heddle_compile_for_programs(${name})
endfunction()

# The host's code is in executables only. g++ accepts a precompiled header only where -fPIC and -fPIE are the same.
function(heddle_compile_for_programs name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
endfunction()

# heddle_add_library(trace SOURCES a.cc b.cc LIBS PkgConfig::ZSTD) makes the static library heddle_trace.
function(heddle_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(heddle_${name} PUBLIC ${ARG_LIBS} fmt::fmt)
  heddle_compile_for_programs(heddle_${name})
  target_precompile_headers(heddle_${name} REUSE_FROM heddle_headers)
endfunction()

# heddle_add_test(schedule_test SOURCES schedule_test.cc LIBS heddle_trace) makes one gtest binary and one ctest entry.
# ARGS: what to pass on the command line; TIMEOUT: seconds (default 300); READS_SOURCES: it knows where the checkout is.
function(heddle_add_test name)
  if(NOT HEDDLE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "READS_SOURCES" "TIMEOUT" "SOURCES;LIBS;ARGS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} fmt::fmt GTest::gmock GTest::gtest GTest::gtest_main)
  heddle_compile_for_programs(${name})
  target_compile_options(${name} PRIVATE ${HEDDLE_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM heddle_test_headers)
  if(ARG_READS_SOURCES)
    target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
