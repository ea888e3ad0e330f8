# find_package(heddle), find_package(Heddle): HEDDLE_EXECUTABLE, HEDDLE_CC, HEDDLE_CXX, the target heddle::check (<heddle/check.h>) and
# heddle_add_hunt() of heddle-hunt.cmake. The file names are those that serve both spellings. The build tree has them where the installed tree does.
include(CMakePackageConfigHelpers)
set(HEDDLE_CMAKE_DIR lib/cmake/heddle)
file(REMOVE ${CMAKE_BINARY_DIR}/heddleConfig.cmake ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake) # where they were: they would be found first
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/heddle-config.cmake.in ${CMAKE_BINARY_DIR}/${HEDDLE_CMAKE_DIR}/heddle-config.cmake
                              INSTALL_DESTINATION ${HEDDLE_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/${HEDDLE_CMAKE_DIR}/heddle-config-version.cmake COMPATIBILITY SameMajorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle-hunt.cmake ${CMAKE_BINARY_DIR}/${HEDDLE_CMAKE_DIR}/heddle-hunt.cmake COPYONLY)
install(DIRECTORY ${CMAKE_BINARY_DIR}/${HEDDLE_CMAKE_DIR}/ DESTINATION ${HEDDLE_CMAKE_DIR} FILES_MATCHING PATTERN "heddle-*.cmake")
