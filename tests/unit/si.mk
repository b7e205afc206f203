# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_si_tests = \
	tests/unit/si/test_text_decode \
	tests/unit/si/test_text_encode
check_PROGRAMS += $(unit_si_tests)
TESTS += $(unit_si_tests)
tests_unit_si_test_text_decode_LDADD = $(worker_libs)
tests_unit_si_test_text_encode_LDADD = $(worker_libs)
endif
