# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_http_tests = \
	tests/unit/common/test_utf8 \
	tests/unit/proto/test_http_request \
	tests/unit/proto/test_http_target
check_PROGRAMS += $(unit_http_tests)
TESTS += $(unit_http_tests)
tests_unit_common_test_utf8_LDADD = $(unit_libs)
tests_unit_proto_test_http_request_LDADD = $(unit_libs)
tests_unit_proto_test_http_target_LDADD = $(unit_libs)
endif
