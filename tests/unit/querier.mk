# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_querier_tests = \
	tests/unit/querier/test_heard \
	tests/unit/querier/test_query
check_PROGRAMS += $(unit_querier_tests)
TESTS += $(unit_querier_tests)
tests_unit_querier_test_heard_LDADD = $(unit_ts_libs)
tests_unit_querier_test_query_LDADD = $(unit_ts_libs)
endif
