# SPDX-License-Identifier: Apache-2.0
# find_package(rill) defines the target rill::rill, the library with its headers.
get_filename_component(_rill_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET rill::rill)
  add_library(rill::rill SHARED IMPORTED)
  set_target_properties(rill::rill PROPERTIES
    IMPORTED_LOCATION "${_rill_prefix}/lib/librill.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_rill_prefix}/include")
endif()
unset(_rill_prefix)
