# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_analysis_tests = \
	tests/unit/analysis/test_monitor \
	tests/unit/analysis/test_pcr_check \
	tests/unit/analysis/test_report \
	tests/unit/analysis/test_tstd
check_PROGRAMS += $(unit_analysis_tests)
TESTS += $(unit_analysis_tests)
tests_unit_analysis_test_monitor_LDADD = $(unit_ts_libs)
tests_unit_analysis_test_pcr_check_LDADD = $(unit_ts_libs)
tests_unit_analysis_test_report_LDADD = $(unit_ts_libs)
tests_unit_analysis_test_tstd_LDADD = $(unit_ts_libs)
endif
