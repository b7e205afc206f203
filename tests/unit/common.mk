# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_common_tests = \
	tests/unit/common/test_errmsg \
	tests/unit/common/test_fd \
	tests/unit/common/test_file_list \
	tests/unit/common/test_iface \
	tests/unit/common/test_log \
	tests/unit/common/test_ring \
	tests/unit/common/test_shared \
	tests/unit/common/test_sorted
check_PROGRAMS += $(unit_common_tests)
TESTS += $(unit_common_tests)
tests_unit_common_test_errmsg_LDADD = $(unit_libs)
tests_unit_common_test_fd_LDADD = $(unit_libs)
tests_unit_common_test_file_list_LDADD = $(unit_libs)
tests_unit_common_test_iface_LDADD = $(unit_libs)
tests_unit_common_test_log_LDADD = $(unit_libs)
tests_unit_common_test_shared_LDADD = $(unit_libs)
tests_unit_common_test_ring_LDADD = $(unit_libs)
tests_unit_common_test_sorted_LDADD = $(unit_libs)
endif
