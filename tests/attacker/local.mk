# SPDX-License-Identifier: GPL-3.0-or-later
# The programs of the workers, taken over by an attacker; their names are those
# of the real ones, which the master starts.
attackers = \
	tests/attacker/sluice-worker \
	tests/attacker/sluice-worker-net \
	tests/attacker/sluice-worker-tls
if WITH_PICTURE
attackers += tests/attacker/sluice-worker-picture
endif
check_PROGRAMS += $(attackers)
attacker_sources = tests/attacker/attacker.c \
	tests/component/attempts.c tests/component/attempts.h \
	tests/component/attempts_kernel.c tests/component/attempt_try.c
attacker_link = $(AM_LDFLAGS) -Wl,--wrap=sandbox_enter

tests_attacker_sluice_worker_SOURCES = worker/main.c $(attacker_sources)
tests_attacker_sluice_worker_LDADD = $(sluice_worker_LDADD)
tests_attacker_sluice_worker_LDFLAGS = $(attacker_link)
tests_attacker_sluice_worker_net_SOURCES = $(sluice_worker_net_SOURCES) \
	$(attacker_sources)
tests_attacker_sluice_worker_net_CFLAGS = $(sluice_worker_net_CFLAGS)
tests_attacker_sluice_worker_net_LDADD = $(sluice_worker_net_LDADD)
tests_attacker_sluice_worker_net_LDFLAGS = $(attacker_link)
tests_attacker_sluice_worker_tls_SOURCES = worker/tls/main.c \
	$(attacker_sources)
tests_attacker_sluice_worker_tls_LDADD = $(sluice_worker_tls_LDADD)
tests_attacker_sluice_worker_tls_LDFLAGS = $(attacker_link)
tests_attacker_sluice_worker_picture_SOURCES = worker/picture/main.c \
	$(attacker_sources)
tests_attacker_sluice_worker_picture_LDADD = $(sluice_worker_picture_LDADD)
tests_attacker_sluice_worker_picture_LDFLAGS = $(attacker_link)
