# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_ts_tests = \
	tests/unit/ts/test_analyze \
	tests/unit/ts/test_audio \
	tests/unit/ts/test_cc \
	tests/unit/ts/test_packet \
	tests/unit/ts/test_pat \
	tests/unit/ts/test_pcr \
	tests/unit/ts/test_pes \
	tests/unit/ts/test_pmt \
	tests/unit/ts/test_psi \
	tests/unit/ts/test_rap \
	tests/unit/ts/test_samples \
	tests/unit/ts/test_section \
	tests/unit/ts/test_sync
check_PROGRAMS += $(unit_ts_tests)
TESTS += $(unit_ts_tests)
check_LIBRARIES += tests/unit/ts/libbuild.a
tests_unit_ts_libbuild_a_SOURCES = \
	tests/unit/ts/build.c tests/unit/ts/build.h
unit_ts_libs = tests/unit/ts/libbuild.a $(worker_libs)
tests_unit_ts_test_audio_LDADD = $(unit_ts_libs)
tests_unit_ts_test_cc_LDADD = $(unit_ts_libs)
tests_unit_ts_test_packet_LDADD = $(unit_ts_libs)
tests_unit_ts_test_pat_LDADD = $(unit_ts_libs)
tests_unit_ts_test_pes_LDADD = $(unit_ts_libs)
tests_unit_ts_test_pmt_LDADD = $(unit_ts_libs)
tests_unit_ts_test_psi_LDADD = $(unit_ts_libs)
tests_unit_ts_test_section_LDADD = $(unit_ts_libs)
tests_unit_ts_test_sync_LDADD = $(unit_ts_libs)
tests_unit_ts_test_analyze_LDADD = $(unit_ts_libs)
tests_unit_ts_test_pcr_LDADD = $(unit_ts_libs)
tests_unit_ts_test_rap_LDADD = $(unit_ts_libs)
tests_unit_ts_test_samples_LDADD = $(unit_ts_libs) -lm
endif
