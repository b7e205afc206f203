# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_si_tests = \
	tests/unit/si/test_collect \
	tests/unit/si/test_desc \
	tests/unit/si/test_record \
	tests/unit/si/test_samples \
	tests/unit/si/test_text_decode \
	tests/unit/si/test_text_encode
check_PROGRAMS += $(unit_si_tests)
TESTS += $(unit_si_tests)
check_LIBRARIES += tests/unit/si/libjsoneq.a
tests_unit_si_libjsoneq_a_SOURCES = \
	tests/unit/si/json_eq.c tests/unit/si/json_eq.h
unit_si_libs = tests/unit/si/libjsoneq.a $(unit_ts_libs)
tests_unit_si_test_collect_LDADD = $(unit_si_libs)
tests_unit_si_test_desc_LDADD = $(unit_si_libs)
tests_unit_si_test_record_LDADD = $(unit_si_libs)
tests_unit_si_test_samples_LDADD = $(unit_si_libs)
tests_unit_si_test_text_decode_LDADD = $(worker_libs)
tests_unit_si_test_text_encode_LDADD = $(worker_libs)
endif
