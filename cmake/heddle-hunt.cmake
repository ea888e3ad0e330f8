# heddle_add_hunt(target ...): a test that hunts in an executable for a thread schedule that fails. It fails when one is found. docs/ci.md
#
#   heddle_add_hunt(<target>
#     [NAME <name>]               of the test, and of its trace; default hunt.<target>
#     [RUNS <n>] [TIME <30s>]     budget, per test with GTEST; default as heddle hunt
#     [STRATEGY <s>] [POINTS <p>] as heddle hunt
#     [SEED <n>|random]           default 1: what was green stays green
#     [WORKERS <n>]               programs at a time; default one per processor, and ctest -j runs nothing beside it
#     [ARGS <arg>...]             of the program
#     [OPTIONS <option>...]       more options of heddle hunt
#     [GTEST]                     a GoogleTest program: each of its tests by itself
#     [SIMPLIFY]                  reduce the trace to the switches that matter
#     [JUNIT <file>] [SARIF <file>]
#     [WORKING_DIRECTORY <dir>]   default: the current binary directory; the trace lies there
#     [TIMEOUT <seconds>] [LABELS <label>...]
#     [PLAIN])                    the target is not built by heddle on purpose: no warning
include_guard(GLOBAL)

# Empty when heddle compiles the target; else the compiler that does.
function(_heddle_foreign_compiler result)
  set(foreign "")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  get_filename_component(own "${HEDDLE_EXECUTABLE}" REALPATH)
  foreach(language IN ITEMS C CXX)
    if(language IN_LIST languages)
      get_filename_component(compiler "${CMAKE_${language}_COMPILER}" REALPATH)
      get_filename_component(name "${compiler}" NAME)
      if(compiler STREQUAL own OR name STREQUAL "heddle")
        set(${result} "" PARENT_SCOPE) # one of the two is enough: which files the target has is not known yet
        return()
      endif()
      set(foreign "${CMAKE_${language}_COMPILER}")
    endif()
  endforeach()
  set(${result} "${foreign}" PARENT_SCOPE)
endfunction()

function(heddle_add_hunt target)
  set(options GTEST SIMPLIFY PLAIN)
  set(values NAME RUNS TIME STRATEGY POINTS SEED WORKERS JUNIT SARIF WORKING_DIRECTORY TIMEOUT)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "${options}" "${values}" "ARGS;OPTIONS;LABELS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_hunt(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "heddle_add_hunt(${target}): no value for ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "heddle_add_hunt(${target}): there is no such target")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "EXECUTABLE")
    message(FATAL_ERROR "heddle_add_hunt(${target}): it is no executable")
  endif()
  if(NOT ARG_PLAIN)
    _heddle_foreign_compiler(foreign)
    if(foreign)
      message(WARNING "heddle_add_hunt(${target}): built by ${foreign}, not by heddle: only its synchronisation calls are controlled, "
                      "its memory accesses and atomics are not, and data races are not seen. Configure with "
                      "-DCMAKE_C_COMPILER=${HEDDLE_CC} -DCMAKE_CXX_COMPILER=${HEDDLE_CXX}, or say PLAIN.")
    endif()
  endif()

  if(NOT ARG_NAME)
    set(ARG_NAME "hunt.${target}")
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  if(NOT DEFINED ARG_SEED)
    set(ARG_SEED 1)
  endif()
  string(MAKE_C_IDENTIFIER "${ARG_NAME}" file)
  set(command "${HEDDLE_EXECUTABLE}" hunt --output "${file}.heddle")
  if(NOT ARG_SEED STREQUAL "random")
    list(APPEND command --seed "${ARG_SEED}")
  endif()
  foreach(value IN ITEMS RUNS TIME STRATEGY POINTS WORKERS JUNIT SARIF)
    if(DEFINED ARG_${value})
      string(TOLOWER "--${value}" option)
      list(APPEND command ${option} "${ARG_${value}}")
    endif()
  endforeach()
  foreach(flag IN ITEMS GTEST SIMPLIFY)
    if(ARG_${flag})
      string(TOLOWER "--${flag}" option)
      list(APPEND command ${option})
    endif()
  endforeach()
  add_test(NAME "${ARG_NAME}" COMMAND ${command} ${ARG_OPTIONS} -- "$<TARGET_FILE:${target}>" ${ARG_ARGS}
           WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}")
  if(NOT ARG_WORKERS)
    cmake_host_system_information(RESULT ARG_WORKERS QUERY NUMBER_OF_LOGICAL_CORES)
  endif()
  set_tests_properties("${ARG_NAME}" PROPERTIES PROCESSORS ${ARG_WORKERS} LABELS "heddle;${ARG_LABELS}")
  if(ARG_TIMEOUT)
    set_tests_properties("${ARG_NAME}" PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
