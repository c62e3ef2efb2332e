# `make dist`: a tarball that works where nothing is installed, and Debian packages.
set(share "${CMAKE_BINARY_DIR}/share")
add_custom_command(
  OUTPUT ${share}/yeoul.1.gz ${share}/yeoul.bash ${share}/_yeoul ${share}/yeoul.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}
  COMMAND yeoul help --man | gzip -9n > ${share}/yeoul.1.gz
  COMMAND yeoul completion bash > ${share}/yeoul.bash
  COMMAND yeoul completion zsh > ${share}/_yeoul
  COMMAND yeoul completion fish > ${share}/yeoul.fish
  DEPENDS yeoul
  COMMENT "Manual page and completions")
add_custom_target(yeoul_share ALL DEPENDS ${share}/yeoul.1.gz)

install(TARGETS yeoul RUNTIME DESTINATION bin COMPONENT program)
install(FILES ${share}/yeoul.1.gz DESTINATION share/man/man1 COMPONENT program)
install(FILES ${share}/yeoul.bash DESTINATION share/bash-completion/completions RENAME yeoul COMPONENT program)
install(FILES ${share}/_yeoul DESTINATION share/zsh/vendor-completions COMPONENT program)
install(FILES ${share}/yeoul.fish DESTINATION share/fish/vendor_completions.d COMPONENT program)
install(FILES README.md README.ko.md DESTINATION share/doc/yeoul COMPONENT program)
install(FILES LICENSE DESTINATION share/doc/yeoul RENAME copyright COMPONENT program)
file(GLOB guides docs/*.md)
install(FILES ${guides} DESTINATION share/doc/yeoul/docs COMPONENT program)
install(DIRECTORY examples/ DESTINATION share/doc/yeoul/examples COMPONENT program PATTERN CMakeLists.txt EXCLUDE
  PATTERN expected EXCLUDE PATTERN *.cmake EXCLUDE)
# The licences of what is linked in, as Debian words them.
foreach(package libcurl4 libssl3 libsnappy1v5 libzstd1 liblz4-1 zlib1g libfmt9 libsimdjson14 libxxhash-dev
        libstdc++6 tzdata)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/yeoul/licenses RENAME ${package}
      COMPONENT program)
  endif()
endforeach()
# The static libraries without debugging information, which is most of their size.
install(CODE "file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/*.a\")
  execute_process(COMMAND ${CMAKE_STRIP} --strip-debug \${archives} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT development)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_VENDOR "Yeoul")
set(CPACK_PACKAGE_CONTACT "Yeoul's developers <yeoul@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "runs Apache Flink SQL as one native program")
set(CPACK_PACKAGE_DESCRIPTION "Yeoul runs the jobs that people write for Apache Flink as one native C++ program:\n SQL and DataStream jobs, Kafka connectors, checkpoints. No JVM, no cluster.")
set(CPACK_PACKAGE_FILE_NAME yeoul-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_OUTPUT_FILE_PREFIX "${CMAKE_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME yeoul)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME yeoul-dev)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libgssapi-krb5-2")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "cmake, pkg-config, g++, libcurl4-openssl-dev, libfmt-dev, liblz4-dev, libsimdjson-dev, libsnappy-dev, libssl-dev, libzstd-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, static libraries and the CMake package of Yeoul's DataStream API for C++.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
include(CPack)
