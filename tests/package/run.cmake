# Installs BUILD to a prefix below it, builds the project beside this file against it, and runs that. Its mistakes must
# be refused with the messages that stand behind `// expected:`.
set(work ${BUILD}/package-test)
file(REMOVE_RECURSE ${work})

# run(<what> <command…>): ends the test where the command fails.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed:\n${output}")
  endif()
endfunction()

run(install ${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix --component development)
run(configure ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_CXX_FLAGS=${FLAGS})
run(build ${CMAKE_COMMAND} --build ${work}/build --target outside)
execute_process(COMMAND ${work}/build/outside OUTPUT_VARIABLE output)
if(NOT output STREQUAL "220 refused\n")
  message(FATAL_ERROR "the outside program printed '${output}'")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build --target mistakes -- -k 0 OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
file(GLOB mistakes ${CMAKE_CURRENT_LIST_DIR}/mistakes/*.cpp)
foreach(file ${mistakes})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(REGEX MATCH "// expected: ([^\n]*)" found "${text}")
  set(expected "${CMAKE_MATCH_1}")
  string(FIND "${output}" "FAILED: CMakeFiles/mistakes.dir/mistakes/${name}.o" refused)
  string(FIND "${output}" "${expected}" at)
  if(refused EQUAL -1 OR at EQUAL -1)
    message(FATAL_ERROR "${name} should be refused with\n  ${expected}\nbut the compiler said:\n${output}")
  endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "[  PASSED  ] 1 test.")  # for tools/run_tests, which counts
