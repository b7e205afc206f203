# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_filler_tests = \
	tests/unit/filler/test_filler \
	tests/unit/filler/test_silent
check_PROGRAMS += $(unit_filler_tests)
TESTS += $(unit_filler_tests)
tests_unit_filler_test_filler_LDADD = $(unit_splice_libs)
tests_unit_filler_test_silent_LDADD = $(worker_libs)
endif
