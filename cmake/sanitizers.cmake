# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# Applies TIDEMARK_SANITIZE to everything that is compiled and linked here.
if(TIDEMARK_SANITIZE)
    add_compile_options(-fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${TIDEMARK_SANITIZE})
    if(TIDEMARK_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()
# What libFuzzer steers by; its main comes only where -fsanitize=fuzzer is linked (tests/fuzz).
if(TIDEMARK_BUILD_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
