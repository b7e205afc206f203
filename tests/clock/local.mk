# SPDX-License-Identifier: GPL-3.0-or-later
# The programs with a clock of the calendar that a test can set; their names are
# those of the real ones, which the master starts.
check_PROGRAMS += \
	tests/clock/sluice \
	tests/clock/sluice-worker \
	tests/clock/sluice-worker-tls
clock_source = tests/clock/stepped_clock.c

tests_clock_sluice_SOURCES = $(sluice_SOURCES) $(clock_source)
tests_clock_sluice_LDADD = $(sluice_LDADD)
tests_clock_sluice_worker_SOURCES = $(sluice_worker_SOURCES) $(clock_source)
tests_clock_sluice_worker_LDADD = $(sluice_worker_LDADD)
tests_clock_sluice_worker_LDFLAGS = $(AM_LDFLAGS)
tests_clock_sluice_worker_tls_SOURCES = $(sluice_worker_tls_SOURCES) \
	$(clock_source)
tests_clock_sluice_worker_tls_LDADD = $(sluice_worker_tls_LDADD)
