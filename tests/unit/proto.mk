# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_proto_tests = \
	tests/unit/proto/test_channel \
	tests/unit/proto/test_msg \
	tests/unit/proto/test_report_shape
check_PROGRAMS += $(unit_proto_tests)
TESTS += $(unit_proto_tests)
tests_unit_proto_test_channel_LDADD = $(unit_libs)
tests_unit_proto_test_msg_LDADD = $(unit_libs)
tests_unit_proto_test_report_shape_LDADD = $(unit_libs)
endif
