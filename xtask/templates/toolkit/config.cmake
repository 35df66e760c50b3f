# host-cann: CANN without an NPU. find_package(host-cann) gives the libraries by their CANN names,
# and all that a program of CANN's links as cann::cann.
get_filename_component(_host_cann_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

foreach(_host_cann_name ascendcl acl_rt nnopbase opapi opapi_nn opapi_math)
    if(NOT TARGET cann::${_host_cann_name})
        add_library(cann::${_host_cann_name} SHARED IMPORTED)
        set_target_properties(cann::${_host_cann_name} PROPERTIES
            IMPORTED_LOCATION "${_host_cann_root}/lib64/lib${_host_cann_name}.so"
            IMPORTED_NO_SONAME TRUE
            INTERFACE_INCLUDE_DIRECTORIES "${_host_cann_root}/include")
    endif()
endforeach()

if(NOT TARGET cann::cann)
    add_library(cann::cann INTERFACE IMPORTED)
    set_target_properties(cann::cann PROPERTIES
        INTERFACE_LINK_LIBRARIES "cann::ascendcl;cann::nnopbase;cann::opapi")
endif()

set(host-cann_VERSION "@VERSION@")
unset(_host_cann_name)
unset(_host_cann_root)
