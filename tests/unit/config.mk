# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_address_tests = \
	tests/unit/common/test_address \
	tests/unit/proto/test_io_spec
check_PROGRAMS += $(unit_address_tests)
TESTS += $(unit_address_tests)
tests_unit_common_test_address_LDADD = $(unit_libs)
tests_unit_proto_test_io_spec_LDADD = $(unit_libs)
endif
