# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_failover_tests = \
	tests/unit/failover/test_damper \
	tests/unit/failover/test_failover \
	tests/unit/failover/test_failover_holds \
	tests/unit/failover/test_silence
check_PROGRAMS += $(unit_failover_tests)
TESTS += $(unit_failover_tests)
check_LIBRARIES += tests/unit/failover/libsim.a
tests_unit_failover_libsim_a_SOURCES = \
	tests/unit/failover/sim.c tests/unit/failover/sim.h
unit_failover_libs = tests/unit/failover/libsim.a $(worker_libs)
tests_unit_failover_test_damper_LDADD = $(worker_libs)
tests_unit_failover_test_failover_LDADD = $(unit_failover_libs)
tests_unit_failover_test_failover_holds_LDADD = $(unit_failover_libs)
tests_unit_failover_test_silence_LDADD = $(worker_libs)
endif
