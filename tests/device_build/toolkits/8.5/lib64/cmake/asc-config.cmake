# Stands in for the file of this name in CANN 8.5 and later: it defines the language ASC, and takes
# the toolkit from the environment.
if(NOT IS_DIRECTORY "$ENV{ASCEND_HOME_PATH}")
    message(FATAL_ERROR "ASCEND_HOME_PATH is not set")
endif()
list(APPEND CMAKE_MODULE_PATH "$ENV{ASCEND_HOME_PATH}/compiler/tikcpp/ascendc_kernel_cmake/asc_modules")
