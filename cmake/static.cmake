# YEOUL_STATIC: the program depends on libc and libm only. Defines the targets of third-party libraries that otherwise
# come from their packages' shared libraries. Where Debian ships no static library, the library is compiled here.
# `tools/setup dist` has fetched what this needs.
set(YEOUL_STATIC_SOURCES "${CMAKE_SOURCE_DIR}/.sources" CACHE PATH "Sources of libraries that have no static package")

function(yeoul_find_archive out name)
  find_library(${out} lib${name}.a REQUIRED)
endfunction()
foreach(name ssl crypto snappy zstd lz4 z)
  yeoul_find_archive(YEOUL_ARCHIVE_${name} ${name})
endforeach()

add_library(yeoul_static_fmt STATIC packaging/fmt.cpp)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_LINK_LIBRARIES yeoul_static_fmt
  INTERFACE_COMPILE_DEFINITIONS FMT_SHARED)  # as the package says, so that the compiler's cache serves both builds

file(GLOB simdjson "${YEOUL_STATIC_SOURCES}/simdjson-*/singleheader/simdjson.cpp")
if(NOT simdjson)
  message(FATAL_ERROR "No source of simdjson in ${YEOUL_STATIC_SOURCES}: run tools/setup dist")
endif()
add_library(yeoul_static_simdjson STATIC ${simdjson})
add_library(simdjson::simdjson INTERFACE IMPORTED GLOBAL)
set_target_properties(simdjson::simdjson PROPERTIES INTERFACE_LINK_LIBRARIES yeoul_static_simdjson
  INTERFACE_COMPILE_DEFINITIONS SIMDJSON_THREADS_ENABLED=1)

set(ZLIB_USE_STATIC_LIBS ON)
set(OPENSSL_USE_STATIC_LIBS ON)

# Debian's libcurl is built for thirty protocols and features, of which HTTP is used.
file(GLOB curl "${YEOUL_STATIC_SOURCES}/curl-*")
if(NOT curl)
  message(FATAL_ERROR "No source of curl in ${YEOUL_STATIC_SOURCES}: run tools/setup dist")
endif()
set(curl_build "${CMAKE_BINARY_DIR}/curl")
add_custom_command(
  OUTPUT ${curl_build}/lib/libcurl.a
  COMMAND ${CMAKE_COMMAND} -S ${curl} -B ${curl_build} -G ${CMAKE_GENERATOR} -DCMAKE_BUILD_TYPE=Release
          -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON
          -DCURL_USE_LIBSSH2=OFF -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none
          > ${CMAKE_BINARY_DIR}/curl.log
  COMMAND ${CMAKE_COMMAND} --build ${curl_build} --target libcurl >> ${CMAKE_BINARY_DIR}/curl.log
  COMMENT "Building libcurl"
  VERBATIM)
add_custom_target(yeoul_static_curl_archive DEPENDS ${curl_build}/lib/libcurl.a)
add_library(yeoul_static_curl INTERFACE)
add_dependencies(yeoul_static_curl yeoul_static_curl_archive)
target_compile_definitions(yeoul_static_curl INTERFACE YEOUL_STATIC_CURL CURL_STATICLIB)
target_link_libraries(yeoul_static_curl INTERFACE ${curl_build}/lib/libcurl.a ${YEOUL_ARCHIVE_ssl} ${YEOUL_ARCHIVE_crypto}
  ${YEOUL_ARCHIVE_z} ${CMAKE_DL_LIBS})
add_library(CURL::libcurl INTERFACE IMPORTED GLOBAL)
set_target_properties(CURL::libcurl PROPERTIES INTERFACE_LINK_LIBRARIES yeoul_static_curl)
set(YEOUL_STATIC_CURL CURL::libcurl)
add_link_options(-static-libstdc++ -static-libgcc)
