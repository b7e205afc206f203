# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_splice_tests = \
	tests/unit/splice/test_cue \
	tests/unit/splice/test_entry \
	tests/unit/splice/test_foreign \
	tests/unit/splice/test_judge \
	tests/unit/splice/test_property \
	tests/unit/splice/test_splice \
	tests/unit/splice/test_stamps \
	tests/unit/splice/test_state
check_PROGRAMS += $(unit_splice_tests)
TESTS += $(unit_splice_tests)
check_LIBRARIES += tests/unit/splice/libstage.a
tests_unit_splice_libstage_a_SOURCES = \
	tests/unit/splice/source.c tests/unit/splice/source.h \
	tests/unit/splice/stage.c tests/unit/splice/stage.h
unit_splice_libs = tests/unit/splice/libstage.a tests/helpers/libjudge.a \
	tests/unit/ts/libbuild.a $(worker_libs)
tests_unit_splice_test_cue_LDADD = $(worker_libs)
tests_unit_splice_test_entry_LDADD = $(unit_splice_libs)
tests_unit_splice_test_foreign_LDADD = $(unit_splice_libs)
tests_unit_splice_test_judge_LDADD = $(unit_splice_libs)
tests_unit_splice_test_property_LDADD = $(unit_splice_libs)
tests_unit_splice_test_splice_LDADD = $(unit_splice_libs)
tests_unit_splice_test_stamps_LDADD = $(worker_libs)
tests_unit_splice_test_state_LDADD = $(unit_splice_libs)
endif
