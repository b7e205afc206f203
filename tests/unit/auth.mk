# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_auth_tests = \
	tests/unit/common/test_ip_prefix \
	tests/unit/common/test_password \
	tests/unit/master/auth/test_access \
	tests/unit/master/auth/test_auth \
	tests/unit/master/auth/test_client_address \
	tests/unit/master/auth/test_credential \
	tests/unit/master/auth/test_gate \
	tests/unit/master/auth/test_lockout \
	tests/unit/master/auth/test_origin \
	tests/unit/master/auth/test_secret \
	tests/unit/master/auth/test_session \
	tests/unit/master/auth/test_user \
	tests/unit/master/auth/test_verified \
	tests/unit/master/auth/test_ws_token
check_PROGRAMS += $(unit_auth_tests)
TESTS += $(unit_auth_tests)
tests_unit_common_test_ip_prefix_LDADD = $(unit_libs)
tests_unit_common_test_password_LDADD = $(unit_libs) $(CRYPT_LIBS)
tests_unit_master_auth_test_access_LDADD = $(master_libs)
tests_unit_master_auth_test_client_address_LDADD = $(master_libs)
tests_unit_master_auth_test_credential_LDADD = $(master_libs)
tests_unit_master_auth_test_lockout_LDADD = $(master_libs)
tests_unit_master_auth_test_origin_LDADD = $(master_libs)
tests_unit_master_auth_test_session_LDADD = $(master_libs)
tests_unit_master_auth_test_user_LDADD = $(master_libs)
tests_unit_master_auth_test_verified_LDADD = $(master_libs)
tests_unit_master_auth_test_ws_token_LDADD = $(master_libs)
tests_unit_master_auth_test_auth_LDADD = $(master_libs)
tests_unit_master_auth_test_gate_LDADD = $(master_libs)
tests_unit_master_auth_test_secret_LDADD = $(master_libs)
endif
