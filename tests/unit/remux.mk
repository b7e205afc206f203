# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_remux_tests = \
	tests/unit/remux/test_section_writer \
	tests/unit/remux/test_table_versions
check_PROGRAMS += $(unit_remux_tests)
TESTS += $(unit_remux_tests)
tests_unit_remux_test_section_writer_LDADD = $(worker_libs)
tests_unit_remux_test_table_versions_LDADD = $(worker_libs)
endif
