# Runs PROGRAM and compares its lines, sorted, with those of EXPECTED.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}")
endif()
file(READ ${EXPECTED} expected)
foreach(text output expected)
  string(STRIP "${${text}}" ${text})
  string(REPLACE "[" "(" ${text} "${${text}}")  # brackets would join elements of a CMake list
  string(REPLACE "]" ")" ${text} "${${text}}")
  string(REPLACE "\n" ";" ${text} "${${text}}")
  list(SORT ${text})
endforeach()
if(NOT output STREQUAL expected)
  string(REPLACE ";" "\n" output "${output}")
  string(REPLACE ";" "\n" expected "${expected}")
  message(FATAL_ERROR "${PROGRAM} printed\n${output}\n\nbut this was expected:\n${expected}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "[  PASSED  ] 1 test.")  # for tools/run_tests, which counts
