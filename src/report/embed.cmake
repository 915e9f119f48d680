# The page's files as one C source: cmake -DFROM=<folder> -DTO=<file> -P embed.cmake
# Style and body are strings of their own; the scripts follow each other, main.js the last.
set(scripts clips.js colours.js camera.js view.js plots.js tables.js main.js)

function(add_string name)
  set(bytes "")
  foreach(file ${ARGN})
    file(READ ${FROM}/${file} hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(APPEND ${TO} "const char ${name}[] = {\n${bytes}0};\n")
endfunction()

file(WRITE ${TO} "#include \"report/page.h\"\n")
add_string(sn_page_style style.css)
add_string(sn_page_body body.html)
add_string(sn_page_script ${scripts})
