# What `cmake --install` puts in place for C++ programs: the modules of the DataStream API, its Kafka connector and SQL as
# static libraries with their headers, and the files that make find_package(yeoul) work. A module that one of these
# needs must be listed too, or CMake refuses to write the package.
set(YEOUL_PACKAGE_MODULES common types state/api state/hashmap formats/api formats/debezium_json formats/json formats/raw
  connectors/api connectors/base connectors/blackhole connectors/datagen connectors/filesystem connectors/kafka
  connectors/print kafka/client kafka/native kafka/protocol kafka/security net runtime sql/parser sql/functions sql/catalog sql/binder sql/planner sql/operators
  sql/translator builtins engine datastream table metrics/prometheus)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
add_custom_target(development)  # builds all that the component of this name installs
foreach(module ${YEOUL_PACKAGE_MODULES})
  string(REPLACE "/" "_" name "${module}")
  add_dependencies(development yeoul_${name})
  set_target_properties(yeoul_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(yeoul_${name} INTERFACE cxx_std_20)
  install(TARGETS yeoul_${name} EXPORT yeoul-targets COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endforeach()
set_target_properties(yeoul_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS yeoul_flags EXPORT yeoul-targets COMPONENT development)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/yeoul)
install(EXPORT yeoul-targets NAMESPACE yeoul:: DESTINATION ${config_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/yeoul-config.cmake.in ${CMAKE_BINARY_DIR}/yeoul-config.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/yeoul-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/yeoul-config.cmake ${CMAKE_BINARY_DIR}/yeoul-config-version.cmake
  DESTINATION ${config_dir} COMPONENT development)
