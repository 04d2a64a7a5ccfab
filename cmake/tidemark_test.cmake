# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors

# What every test runs under: no display needed, no locale or user setting that changes a result.
set(TIDEMARK_TEST_ENVIRONMENT "QT_QPA_PLATFORM=offscreen" "LC_ALL=C.UTF-8" "QT_LOGGING_TO_CONSOLE=1")
if("$ENV{TIDEMARK_REQUIRE_DATA}" STREQUAL "1")
    set(TIDEMARK_REQUIRE_DATA ON)
endif()
if(TIDEMARK_REQUIRE_DATA)
    list(APPEND TIDEMARK_TEST_ENVIRONMENT "TIDEMARK_REQUIRE_DATA=1")
endif()
# Of what is long and alike only a part is looked at; under the sanitizers everything takes ten times as long.
set(sample 3)
if(TIDEMARK_SANITIZE)
    set(sample 12)
endif()
set(TIDEMARK_SAMPLE ${sample} CACHE STRING "Of what is many the tests look at one in so many, always the same ones")
list(APPEND TIDEMARK_TEST_ENVIRONMENT "TIDEMARK_SAMPLE=${TIDEMARK_SAMPLE}")
if(TIDEMARK_SANITIZE)
    list(
        APPEND
        TIDEMARK_TEST_ENVIRONMENT
        "PYTHONMALLOC=malloc"
        "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0"
        "UBSAN_OPTIONS=print_stacktrace=1"
        "TSAN_OPTIONS=halt_on_error=1:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
endif()

# What reads bytes that others wrote. Under the sanitizers CI looks at this alone, tests/deep at the rest.
set(TIDEMARK_READS_FOREIGN_BYTES
    core_base core_config core_trace core_reader core_replay core_program core_label core_query core_remote core_allocator
    core_message core_job)
add_custom_target(foreign_bytes)

# tidemark_reads_foreign_bytes(<target> <test>...): the target foreign_bytes builds it, `ctest -L foreign-bytes` runs it.
function(tidemark_reads_foreign_bytes target)
    add_dependencies(foreign_bytes ${target})
    set_tests_properties(${ARGN} PROPERTIES LABELS foreign-bytes)
endfunction()

# Qt Test tells each test its own folder, which keeps tests from sharing a precompiled header. None needs it:
# they have TIDEMARK_SOURCE_DIR.
if(TIDEMARK_BUILD_TESTS)
    get_target_property(definitions Qt6::Test INTERFACE_COMPILE_DEFINITIONS)
    list(FILTER definitions EXCLUDE REGEX "QT_TESTCASE_")
    set_target_properties(Qt6::Test PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${definitions}")
endif()

# tidemark_test_options(<target>): for the tests and for those whose precompiled headers they share.
function(tidemark_test_options target)
    # What a test does is in the libraries; its own code is compiled far more often than it runs. gcc takes a source for a
    # header where several are compiled as one.
    target_compile_options(${target} PRIVATE -O0 $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# tidemark_test(<name> SOURCES tst_<unit>.cpp... [LINK <target>...] [GUI])
#
# Makes one Qt Test executable from one source per unit. Each tst_<unit>.cpp ends with
#     TIDEMARK_TEST(TstUnit)            (tests/support/test_main.h)
#     #include "tst_<unit>.moc"
# and becomes the ctest test <name>.<unit>; one tst_others_<unit>.cpp is of recordings of other people, as
# tidemark_others_test has it. With GUI the units run inside a QApplication with fixed style,
# locale and settings. A single source may bring its own QTEST_…MAIN instead; its test is <name>.
function(tidemark_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "GUI" "TIMEOUT" "SOURCES;LINK")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
        message(FATAL_ERROR "tidemark_test(${name}): wants SOURCES, got ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    set(target tidemark_test_${name})
    add_executable(${target} ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${target} PRIVATE TIDEMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(arg_GUI)
        set(main tidemark::test_main_gui)
        tidemark_share_precompiled(${target} tidemark_test_main_gui)
    else()
        set(main tidemark::test_main)
        tidemark_share_precompiled(${target} tidemark_test_main)
    endif()
    target_link_libraries(
        ${target} PRIVATE tidemark::warnings tidemark::qt_definitions tidemark::test_support ${main}
                          ${arg_LINK})
    tidemark_test_options(${target})
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(GET source STEM stem)
        if(NOT source MATCHES "\\.cpp$" OR NOT stem MATCHES "^tst_(.*)$")
            continue()
        endif()
        set(test "${name}.${CMAKE_MATCH_1}")
        if(stem MATCHES "^tst_others_(.*)$")
            tidemark_others_test(${name}.${CMAKE_MATCH_1} ${target} ${stem} TIMEOUT ${arg_TIMEOUT})
            continue()
        endif()
        set(unit "${stem}")
        cmake_path(ABSOLUTE_PATH source)
        file(STRINGS "${source}" own_main REGEX "^QTEST_[A-Z]*_?MAIN")
        if(own_main)
            set(test "${name}")
            set(unit "")
        endif()
        add_test(NAME ${test} COMMAND ${target} ${unit})
        set_tests_properties(
            ${test} PROPERTIES ENVIRONMENT "${TIDEMARK_TEST_ENVIRONMENT}" TIMEOUT ${arg_TIMEOUT})
        if(name IN_LIST TIDEMARK_READS_FOREIGN_BYTES)
            tidemark_reads_foreign_bytes(${target} ${test})
        endif()
    endforeach()
endfunction()

# tidemark_script_test(<name> COMMAND <command>... [TIMEOUT <seconds>]): a test that is a script. It ends with
# status 77 where a tool it needs is missing: the test then counts as skipped. Those that may take long begin first, so
# that none is left alone at the end.
function(tidemark_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_test(NAME ${name} COMMAND ${arg_COMMAND})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${TIDEMARK_TEST_ENVIRONMENT}"
                                            TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT})
    if(NOT TIDEMARK_REQUIRE_DATA)
        set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
endfunction()

# tidemark_others_test(<name> <command>... [TIMEOUT <seconds>]): the test data.<name> (label data) over the recordings of
# other people, where their folder is.
function(tidemark_others_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "")
    if(NOT TIDEMARK_HAS_OTHERS)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    tidemark_script_test(data.${name} COMMAND ${arg_UNPARSED_ARGUMENTS} TIMEOUT ${arg_TIMEOUT})
    set_tests_properties(data.${name} PROPERTIES ENVIRONMENT "${TIDEMARK_TEST_ENVIRONMENT};TIDEMARK_RECORDINGS=others"
                                                 LABELS data)
endfunction()
