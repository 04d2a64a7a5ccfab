# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# Compiles through ccache where it is installed; -DCMAKE_CXX_COMPILER_LAUNCHER= turns it off.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(TIDEMARK_CCACHE ccache)
    mark_as_advanced(TIDEMARK_CCACHE)
    if(TIDEMARK_CCACHE)
        # Sources that use a precompiled header are kept only where these two differences are allowed. What a source
        # includes is read off the compiler's own list, so that a first build does not preprocess each of them twice.
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                        CCACHE_DEPEND=1 "${TIDEMARK_CCACHE}")
    endif()
endif()
