# find_package(heddle): gives HEDDLE_EXECUTABLE, HEDDLE_CC, HEDDLE_CXX and the target heddle::check (<heddle/check.h>).
include(CMakePackageConfigHelpers)
set(HEDDLE_CMAKE_DIR lib/cmake/heddle)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake.in ${CMAKE_BINARY_DIR}/heddleConfig.cmake
                              INSTALL_DESTINATION ${HEDDLE_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/heddleConfig.cmake ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake
        DESTINATION ${HEDDLE_CMAKE_DIR})
