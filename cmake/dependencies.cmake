# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
# Everything that is not ours. The Debian package of each stands in packaging/dependencies.txt.
# Headers alone.
find_path(TIDEMARK_PROTOZERO protozero/pbf_writer.hpp REQUIRED)
add_library(tidemark_protozero INTERFACE)
target_include_directories(tidemark_protozero SYSTEM INTERFACE "${TIDEMARK_PROTOZERO}")
if(TIDEMARK_STATIC)
    include(cmake/static_program.cmake)
    return()
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(LibArchive 3.6 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)

# The interpreter is the system's own: a Python from pyenv or conda, first on many a developer's
# PATH, is not there on the machine that installs the package.
set(Python3_ROOT_DIR "/usr" CACHE PATH "Where the Python to embed is installed")
set(Python3_FIND_STRATEGY LOCATION)
find_package(Python3 3.11 REQUIRED COMPONENTS Development.Embed)
foreach(library IN LISTS Python3_LIBRARIES)
    file(REAL_PATH "${library}" real_library)
    if(NOT real_library MATCHES "^/usr/lib")
        message(FATAL_ERROR "libpython was found at ${real_library}, outside /usr/lib. Install python3-dev, "
                            "delete the build folder and configure again with -DPython3_ROOT_DIR=/usr.")
    endif()
endforeach()

if(TIDEMARK_BUILD_GUI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core DBus Gui Widgets PrintSupport Svg)
    find_package(QCustomPlotQt6 REQUIRED)
    find_package(qpdf 11 REQUIRED)
    # Its smart pointers are the standard ones since version 11; this says that no old name is used.
    target_compile_definitions(qpdf::libqpdf INTERFACE POINTERHOLDER_TRANSITION=4)
endif()
if(TIDEMARK_BUILD_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()

# Qt 6.4's moc stops at libstdc++'s <concepts> when nothing before it has set up the library's macros; Qt's own
# first header does. Its full path, since a build looks for what moc has read.
foreach(folder IN LISTS Qt6Core_INCLUDE_DIRS)
    if(EXISTS "${folder}/qglobal.h")
        set(CMAKE_AUTOMOC_MOC_OPTIONS --include "${folder}/qglobal.h")
    endif()
endforeach()
