# Turns a text file into a C source that defines it as a NUL-terminated array.
# cmake -DINPUT=file.xsd -DOUTPUT=file.c -DSYMBOL=name -DHEADER=folder/that_declares_it.h -P embed.cmake
# An array of numbers, because C11 promises string literals of 4095 characters only.

foreach(argument INPUT OUTPUT SYMBOL HEADER)
  if(NOT DEFINED ${argument})
    message(FATAL_ERROR "embed.cmake: -D${argument}=... is missing")
  endif()
endforeach()

file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," numbers "${bytes}")
# Bytes above 0x7f do not fit a signed char, and a conversion would be compiler-defined.
if(numbers MATCHES "0x[89a-f]")
  message(FATAL_ERROR "embed.cmake: ${INPUT} contains bytes that are not ASCII")
endif()
set(five "0x..,0x..,0x..,0x..,0x..,")
string(REGEX REPLACE "(${five}${five}${five}${five})" "\\1\n    " numbers "${numbers}")

get_filename_component(name "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "/* Generated from ${name}. */
#include \"${HEADER}\"

const char ${SYMBOL}[] = {
    ${numbers}0x00};
")
