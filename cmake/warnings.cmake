# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# tidemark::warnings       the warnings every target of ours is compiled with
# tidemark::qt_definitions what keeps Qt code explicit about strings and keywords
add_library(tidemark_warnings INTERFACE)
add_library(tidemark::warnings ALIAS tidemark_warnings)
target_compile_options(
    tidemark_warnings
    INTERFACE
        -Wall
        -Wextra
        -Wpedantic
        -Wconversion
        -Wsign-conversion
        -Wshadow
        -Wold-style-cast
        -Woverloaded-virtual
        -Wnon-virtual-dtor
        -Wcast-align
        -Wdouble-promotion
        -Wformat=2
        -Wundef
        -Wextra-semi
        $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
        $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
        $<$<BOOL:${TIDEMARK_WERROR}>:-Werror>)

add_library(tidemark_qt_definitions INTERFACE)
add_library(tidemark::qt_definitions ALIAS tidemark_qt_definitions)
target_compile_definitions(
    tidemark_qt_definitions
    INTERFACE
        QT_NO_KEYWORDS
        QT_NO_CAST_FROM_ASCII
        QT_NO_CAST_TO_ASCII
        QT_USE_QSTRINGBUILDER
        QT_DISABLE_DEPRECATED_BEFORE=0x060400)
