# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors

# tidemark_embed_resource(TARGET <target> FILE <path below resources/> SYMBOL <name>)
#
# Puts the bytes of resources/<path> into <target>. C++ reads them with
#     #include "resources/<path>.h"
#     std::string_view tidemark::resources::<name>() noexcept;
# The assembler includes the file, so its size costs no compile time; a changed file is rebuilt.
function(tidemark_embed_resource)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;FILE;SYMBOL" "")
    foreach(name TARGET FILE SYMBOL)
        if(NOT arg_${name})
            message(FATAL_ERROR "tidemark_embed_resource: ${name} is missing")
        endif()
    endforeach()
    set(RESOURCE_FILE "${PROJECT_SOURCE_DIR}/resources/${arg_FILE}")
    if(NOT EXISTS "${RESOURCE_FILE}")
        message(FATAL_ERROR "tidemark_embed_resource: resources/${arg_FILE} does not exist")
    endif()
    set(RESOURCE_PATH "resources/${arg_FILE}")
    set(RESOURCE_SYMBOL "${arg_SYMBOL}")
    set(folder "${PROJECT_BINARY_DIR}/embedded/${arg_TARGET}")
    set(source "${folder}/${RESOURCE_PATH}.cpp")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/resource.h.in" "${folder}/${RESOURCE_PATH}.h" @ONLY)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/resource.cpp.in" "${source}" @ONLY)
    # Apart, without a compiler cache: no list of includes names what the assembler takes in.
    set(objects "${arg_TARGET}_resources")
    if(NOT TARGET ${objects})
        add_library(${objects} OBJECT)
        set_target_properties(${objects} PROPERTIES CXX_COMPILER_LAUNCHER "" UNITY_BUILD OFF AUTOMOC OFF)
        target_sources(${arg_TARGET} PRIVATE "$<TARGET_OBJECTS:${objects}>")
    endif()
    # Symbols made in top-level assembly are invisible to link-time optimisation.
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${RESOURCE_FILE}" COMPILE_OPTIONS "-fno-lto")
    target_sources(${objects} PRIVATE "${source}")
    target_include_directories(${objects} PRIVATE "${folder}")
    target_include_directories(${arg_TARGET} PUBLIC "${folder}")
endfunction()
