# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_remux_tests = \
	tests/unit/remux/test_psi_build \
	tests/unit/remux/test_remux \
	tests/unit/remux/test_remux_data \
	tests/unit/remux/test_remux_parts \
	tests/unit/remux/test_remux_tables \
	tests/unit/remux/test_section_writer \
	tests/unit/remux/test_si_build \
	tests/unit/remux/test_si_versions \
	tests/unit/remux/test_table_versions
check_PROGRAMS += $(unit_remux_tests)
TESTS += $(unit_remux_tests)
unit_remux_libs = tests/unit/ts/libbuild.a $(worker_libs)
tests_unit_remux_test_psi_build_LDADD = $(unit_remux_libs)
unit_remux_rig = tests/unit/remux/rig.c tests/unit/remux/rig.h
tests_unit_remux_test_remux_SOURCES = \
	tests/unit/remux/test_remux.c $(unit_remux_rig)
tests_unit_remux_test_remux_data_SOURCES = \
	tests/unit/remux/test_remux_data.c $(unit_remux_rig)
tests_unit_remux_test_remux_data_LDADD = $(unit_remux_libs)
tests_unit_remux_test_remux_tables_SOURCES = \
	tests/unit/remux/test_remux_tables.c $(unit_remux_rig)
tests_unit_remux_test_remux_tables_LDADD = $(unit_remux_libs)
tests_unit_remux_test_remux_LDADD = $(unit_remux_libs)
tests_unit_remux_test_remux_parts_LDADD = $(unit_remux_libs)
tests_unit_remux_test_si_build_LDADD = $(unit_remux_libs)
tests_unit_remux_test_si_versions_LDADD = $(unit_remux_libs)
tests_unit_remux_test_section_writer_LDADD = $(worker_libs)
tests_unit_remux_test_table_versions_LDADD = $(worker_libs)
endif
