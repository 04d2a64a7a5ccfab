# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# With TIDEMARK_STATIC: every library as an archive, so that tidemark-cli is one file that needs only the kernel.
# The Debian package of each is in the group "static" of packaging/dependencies.txt.
if(TIDEMARK_BUILD_GUI OR TIDEMARK_BUILD_TESTS)
    message(FATAL_ERROR "A static program has no window and no tests of its own; use the preset static.")
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
find_package(LibArchive 3.6 REQUIRED)
# What unpacking needs of libarchive's own libraries: XML is for xar, access lists are for writing to a disk.
foreach(library IN ITEMS nettle lzma zstd lz4 bz2 z)
    find_library(TIDEMARK_STATIC_${library} ${library} REQUIRED)
    target_link_libraries(LibArchive::LibArchive INTERFACE "${TIDEMARK_STATIC_${library}}")
endforeach()

# Debian's description of yaml-cpp names the shared library alone.
find_library(TIDEMARK_STATIC_yaml_cpp yaml-cpp REQUIRED)
add_library(yaml-cpp STATIC IMPORTED)
set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION "${TIDEMARK_STATIC_yaml_cpp}")

# Built in, it loads no extensions, so what it would need for that is left out of nothing but a warning.
find_path(SQLite3_INCLUDE_DIR sqlite3.h REQUIRED)
find_library(TIDEMARK_STATIC_sqlite3 sqlite3 REQUIRED)
add_library(SQLite::SQLite3 STATIC IMPORTED)
set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_LOCATION "${TIDEMARK_STATIC_sqlite3}"
                                                 INTERFACE_INCLUDE_DIRECTORIES "${SQLite3_INCLUDE_DIR}"
                                                 INTERFACE_LINK_LIBRARIES "m;Threads::Threads")

# Debian has no archive of fmt, but the sources of one among its headers.
find_path(TIDEMARK_STATIC_fmt fmt/format-inl.h REQUIRED)
add_library(tidemark_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp")
target_compile_features(tidemark_fmt PUBLIC cxx_std_20)
add_library(fmt::fmt ALIAS tidemark_fmt)

# Each function in a section of its own, so that what nothing calls is left out. A position-independent program
# lies at another address in each run, as the dynamic one does: it reads other people's files.
add_compile_options(-ffunction-sections -fdata-sections)
# The map says which archives are in it: their licences go along (packaging/wheel/licences.py).
add_link_options(-static-pie -Wl,--gc-sections -s "-Wl,-Map=${PROJECT_BINARY_DIR}/tidemark-cli.map")
