# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors

# Of other people's headers those that core's sources include most: a quarter of the time of compiling one.
set(TIDEMARK_CORE_PRECOMPILED
    <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <map> <memory> <optional> <set> <span> <stop_token>
    <string> <string_view> <tuple> <unordered_map> <utility> <vector> <fmt/format.h>)

# tidemark_core_library(<folder> SOURCES <cpp>... HEADERS <h>... [PUBLIC <folder>...] [LINK <target>...]
#                       [PRECOMPILE <header>...])
#
# Makes the static library tidemark::core_<folder> from core/<folder>. PUBLIC names the core folders
# its headers include, LINK the packages that only its .cpp files need; a package whose headers appear in
# ours is added with target_link_libraries(... PUBLIC ...) beside the call. PRECOMPILE names a large header that
# most of its sources include beside the usual ones.
function(tidemark_core_library folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;PUBLIC;LINK;PRECOMPILE")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tidemark_core_library(${folder}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    set(target tidemark_core_${folder})
    add_library(${target} STATIC ${arg_SOURCES} ${arg_HEADERS})
    add_library(tidemark::core_${folder} ALIAS ${target})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
    list(TRANSFORM arg_PUBLIC PREPEND "tidemark::core_")
    target_link_libraries(
        ${target}
        PUBLIC ${arg_PUBLIC} fmt::fmt Threads::Threads
        PRIVATE tidemark::warnings ${arg_LINK})
    if(arg_PRECOMPILE)
        tidemark_precompile(${target} ${TIDEMARK_CORE_PRECOMPILED} ${arg_PRECOMPILE})
    else()
        tidemark_share_precompiled(${target} tidemark_core_base ${TIDEMARK_CORE_PRECOMPILED})
    endif()
endfunction()

# tidemark_ui_library(<folder> SOURCES <cpp>... HEADERS <h>... [PUBLIC <target>...] [LINK <target>...])
#
# Makes the static library tidemark::ui_<folder> from ui/<folder>: as above, with Qt's code generators on
# and Qt Widgets linked. PUBLIC takes full target names (tidemark::core_curves, tidemark::ui_models).
function(tidemark_ui_library folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;PUBLIC;LINK")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tidemark_ui_library(${folder}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    set(target tidemark_ui_${folder})
    add_library(${target} STATIC ${arg_SOURCES} ${arg_HEADERS})
    add_library(tidemark::ui_${folder} ALIAS ${target})
    set_target_properties(${target} PROPERTIES AUTOMOC ON AUTORCC ON)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(
        ${target}
        PUBLIC ${arg_PUBLIC} Qt6::Widgets
        PRIVATE tidemark::warnings tidemark::qt_definitions ${arg_LINK})
endfunction()

# tidemark_precompile(<target> <header>...): compiles the large headers of other people that most sources of the
# target include only once. Every source still includes what it uses.
function(tidemark_precompile target)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    tidemark_keep_precompiled(${target})
endfunction()

# tidemark_share_precompiled(<target> <owner> <header>...): the owner compiles the headers, all others use that.
function(tidemark_share_precompiled target owner)
    if(target STREQUAL owner)
        tidemark_precompile(${target} ${ARGN})
    else()
        target_precompile_headers(${target} REUSE_FROM ${owner})
        tidemark_keep_precompiled(${target})
    endif()
endfunction()

# ccache reads the preprocessed source, which must name the precompiled header.
function(tidemark_keep_precompiled target)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
