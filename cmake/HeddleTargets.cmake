# Two functions that every CMakeLists.txt of the tree uses.

# heddle_add_library(trace SOURCES a.cc b.cc LIBS PkgConfig::ZSTD) makes the static library heddle_trace.
function(heddle_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(heddle_${name} PUBLIC ${ARG_LIBS})
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
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gmock GTest::gtest GTest::gtest_main)
  if(ARG_READS_SOURCES)
    target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
