# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_supervise_tests = \
	tests/unit/supervise/test_backoff \
	tests/unit/supervise/test_analysis \
	tests/unit/supervise/test_cpu_share \
	tests/unit/supervise/test_input_choice \
	tests/unit/supervise/test_pace \
	tests/unit/supervise/test_proc_state \
	tests/unit/supervise/test_session_list \
	tests/unit/supervise/test_stream_plan \
	tests/unit/supervise/test_switch_log
check_PROGRAMS += $(unit_supervise_tests)
TESTS += $(unit_supervise_tests)
tests_unit_supervise_test_backoff_LDADD = $(master_libs)
tests_unit_supervise_test_analysis_SOURCES = \
	tests/unit/supervise/channel_rig.c tests/unit/supervise/channel_rig.h \
	tests/unit/supervise/test_analysis.c
tests_unit_supervise_test_analysis_LDADD = $(master_libs)
tests_unit_supervise_test_cpu_share_LDADD = $(master_libs)
tests_unit_supervise_test_input_choice_SOURCES = \
	tests/unit/supervise/channel_rig.c tests/unit/supervise/channel_rig.h \
	tests/unit/supervise/test_input_choice.c
tests_unit_supervise_test_input_choice_LDADD = $(master_libs)
tests_unit_supervise_test_pace_LDADD = $(master_libs)
tests_unit_supervise_test_proc_state_LDADD = $(master_libs)
tests_unit_supervise_test_session_list_LDADD = $(master_libs)
tests_unit_supervise_test_stream_plan_LDADD = $(master_libs)
tests_unit_supervise_test_switch_log_LDADD = $(master_libs)
endif
