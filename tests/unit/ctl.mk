# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += tests/unit/quoted.h

if HAVE_CRITERION
unit_ctl_tests = \
	tests/unit/ctl/test_config_edit \
	tests/unit/ctl/test_json_diff \
	tests/unit/ctl/test_json_path \
	tests/unit/ctl/test_keyring \
	tests/unit/ctl/test_options \
	tests/unit/ctl/test_settings \
	tests/unit/ctl/test_table \
	tests/unit/ctl/test_text
check_PROGRAMS += $(unit_ctl_tests)
TESTS += $(unit_ctl_tests)
ctl_libs = libctl.a $(unit_libs) $(CURL_LIBS)
tests_unit_ctl_test_config_edit_LDADD = $(ctl_libs)
tests_unit_ctl_test_json_diff_LDADD = $(ctl_libs)
tests_unit_ctl_test_json_path_LDADD = $(ctl_libs)
tests_unit_ctl_test_keyring_LDADD = $(ctl_libs)
tests_unit_ctl_test_options_LDADD = $(ctl_libs)
tests_unit_ctl_test_settings_LDADD = $(ctl_libs)
tests_unit_ctl_test_table_LDADD = $(ctl_libs)
tests_unit_ctl_test_text_LDADD = $(ctl_libs)
endif
