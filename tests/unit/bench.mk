# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_bench_tests = tests/unit/bench/test_check_stream
check_PROGRAMS += $(unit_bench_tests)
TESTS += $(unit_bench_tests)
tests_unit_bench_test_check_stream_SOURCES = \
	tests/bench/check_stream.c tests/bench/histogram.c \
	tests/bench/stamp.c tests/bench/tsmaker.c \
	tests/unit/bench/test_check_stream.c
tests_unit_bench_test_check_stream_LDADD = $(unit_libs)
endif
