# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# Links with mold where it is installed: the tests are some thirty programs. What people get is linked by the
# system's own linker, whose plugin optimises while linking.
if(NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION AND NOT TIDEMARK_STATIC)
    find_program(TIDEMARK_MOLD mold)
    mark_as_advanced(TIDEMARK_MOLD)
    if(TIDEMARK_MOLD)
        add_link_options(-fuse-ld=mold)
    endif()
endif()
