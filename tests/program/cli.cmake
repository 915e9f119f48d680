# What the program answers at the command line: exit statuses, help, one message a failure.
# cmake -DSINEW=program [-DMPIEXEC="mpiexec;-n;3"] [-DPYTHON=python3] -DWORK=folder -P cli.cmake
# Without MPIEXEC the program is started alone.

# expect(status pattern arguments...): the pattern is found in the output exactly once.
function(expect status pattern)
  execute_process(COMMAND ${MPIEXEC} ${SINEW} ${ARGN} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  string(REGEX MATCHALL "${pattern}" found "${output}${errors}")
  list(LENGTH found times)
  if(NOT result EQUAL status OR NOT times EQUAL 1)
    message(SEND_ERROR "sinew ${ARGN}: status ${result}, expected ${status}; "
      "'${pattern}' ${times} times in:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

expect(0 "usage: sinew" --help)
expect(1 "unknown command 'nonsense'" nonsense)
expect(1 "no bench 'nonsense'" bench nonsense)
if(NOT MPIEXEC) # what cannot depend on the number of ranks
  expect(0 "sinew [0-9]+\\.[0-9]+" --version)
  expect(1 "no command given")
  expect(1 "unknown option '--nonsense'" --nonsense)
  expect(0 "usage: sinew bench" bench --help)
  expect(1 "bench: which one" bench)
  expect(1 "unknown option '--nonsense'" bench sum --nonsense)
  expect(1 "positive whole number, not 'many'" bench sum --size many)
  expect(1 "positive whole number, not ''" bench sum --size)
  expect(1 "one name, not 'sum' and 'sum'" bench sum sum)
  expect(0 "dot/exact/residual +[0-9]" bench sum --size 5000)
  expect(1 "power of two from 4 to 32768, not 5" bench solve --size 5)
  expect(1 "cells across a ball: from 4 to 16384, not 3" bench output --size 3)
  expect(1 "the elements: from 100 on, not 99" bench frame --size 99)
  expect(0 "\"name\": \"frame/10x3\".*\"element_frames_per_core_second\": [0-9].*frame/10x3/exact sums.*frame/1e-3/[a-z]+/without a name"
    bench frame --json --size 500)
  expect(0 "thin/comb/8/weld/paper/auto +[0-9]" bench thin --size 8)
endif()
expect(0 "output/surface +[0-9].*output/checkpoint/time +[0-9].*output/share-of-frame +[0-9].*output/octree/share-of-frame +[0-9]"
  bench output --size 8)
# At most 19 iterations, and 29 for flesh that is hardly compressible.
expect(0 "convergence/mgpcg/16 +1?[0-9] iterations.*poisson-0.49 +[12]?[0-9] iterations"
  bench convergence --size 16)
expect(0 "{\"name\": \"sum/exact/equal\", \"value\": [0-9.e+]+, \"unit\": \"values/s\", \"limit\": [0-9.e+]+, \"ratio\": [0-9.e+-]+}"
  bench sum --json --size 5000)

if(PYTHON)
  set(file ${WORK}/cli_bench_sum.json)
  file(WRITE ${file} "${output}")
  execute_process(COMMAND ${PYTHON} -m json.tool --json-lines ${file} RESULT_VARIABLE result
    OUTPUT_QUIET)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "not one JSON object a line:\n${output}")
  endif()
endif()
