# SPDX-License-Identifier: GPL-3.0-or-later
# The real reconciler with false workers, the real worker with a false master.
if HAVE_CRITERION
component_rig = tests/component/rig.c tests/component/rig.h
service_rig = $(component_rig) \
	tests/component/service_rig.c tests/component/service_rig.h
epg_bench = $(service_rig) \
	tests/component/epg_bench.c tests/component/epg_bench.h
component_reconciler = $(component_rig) \
	tests/component/reconciler_bench.c tests/component/reconciler_bench.h
component_worker_rig = \
	tests/component/worker_rig.c tests/component/worker_rig.h
component_attempts = \
	tests/component/attempts.c tests/component/attempts.h \
	tests/component/attempts_kernel.c tests/component/attempt_try.c
component_tests = \
	tests/component/test_adapter_procs \
	tests/component/test_auth_proc \
	tests/component/test_backend_proc \
	tests/component/test_deliver_proc \
	tests/component/test_deliver_role \
	tests/component/test_epg_proc \
	tests/component/test_epg_save \
	tests/component/test_feeds \
	tests/component/test_reconciler \
	tests/component/test_reconciler_viewers \
	tests/component/test_handover \
	tests/component/test_jobs \
	tests/component/test_sandbox \
	tests/component/test_spawn \
	tests/component/test_tls_proc \
	tests/component/test_tls_role \
	tests/component/test_worker
if WITH_PICTURE
component_tests += \
	tests/component/test_picture_proc \
	tests/component/test_picture_role
endif
check_PROGRAMS += tests/component/fake_worker $(component_tests)
TESTS += $(component_tests)
tests_component_fake_worker_SOURCES = tests/component/fake_worker.c
tests_component_test_adapter_procs_SOURCES = \
	tests/component/test_adapter_procs.c $(service_rig)
tests_component_test_adapter_procs_LDADD = $(master_libs)
tests_component_test_adapter_procs_LDFLAGS = -Wl,--wrap=stream_ring_make
tests_component_test_deliver_proc_SOURCES = \
	tests/component/test_deliver_proc.c $(service_rig)
tests_component_test_deliver_proc_LDADD = $(master_libs)
tests_component_test_deliver_role_SOURCES = \
	tests/component/test_deliver_role.c \
	$(component_rig) $(component_worker_rig)
tests_component_test_deliver_role_LDADD = $(unit_libs)
tests_component_test_epg_proc_SOURCES = \
	tests/component/test_epg_proc.c $(epg_bench)
tests_component_test_epg_proc_LDADD = $(master_libs)
tests_component_test_epg_proc_LDFLAGS = -Wl,--wrap=epg_file_read
tests_component_test_epg_save_SOURCES = \
	tests/component/test_epg_save.c $(epg_bench)
tests_component_test_epg_save_LDADD = $(master_libs)
tests_component_test_epg_save_LDFLAGS = -Wl,--wrap=epg_file_write
tests_component_test_auth_proc_SOURCES = \
	tests/component/test_auth_proc.c $(service_rig)
tests_component_test_auth_proc_LDADD = $(master_libs)
tests_component_test_backend_proc_SOURCES = \
	tests/component/test_backend_proc.c $(service_rig)
tests_component_test_backend_proc_LDADD = $(master_libs)
tests_component_test_reconciler_SOURCES = tests/component/test_reconciler.c \
	$(component_reconciler)
tests_component_test_reconciler_LDADD = $(master_libs)
tests_component_test_reconciler_viewers_SOURCES = \
	tests/component/test_reconciler_viewers.c $(component_reconciler)
tests_component_test_reconciler_viewers_LDADD = $(master_libs)
tests_component_test_feeds_SOURCES = tests/component/test_feeds.c \
	$(component_reconciler)
tests_component_test_feeds_LDADD = $(master_libs)
tests_component_test_handover_SOURCES = tests/component/test_handover.c \
	$(component_reconciler)
tests_component_test_handover_LDADD = $(master_libs)
tests_component_test_jobs_SOURCES = tests/component/test_jobs.c \
	$(service_rig)
tests_component_test_jobs_LDADD = $(master_libs) $(test_libs)
tests_component_test_picture_proc_SOURCES = \
	tests/component/test_picture_proc.c $(service_rig)
tests_component_test_picture_proc_LDADD = $(master_libs)
tests_component_test_picture_role_SOURCES = \
	tests/component/test_picture_role.c \
	$(component_rig) $(component_worker_rig)
tests_component_test_picture_role_LDADD = $(unit_libs)
tests_component_test_tls_proc_SOURCES = tests/component/test_tls_proc.c \
	tests/component/pem.c tests/component/pem.h $(service_rig)
tests_component_test_tls_proc_LDADD = $(master_libs) $(SSL_LIBS)
tests_component_test_tls_role_SOURCES = tests/component/test_tls_role.c \
	tests/component/pem.c tests/component/pem.h \
	$(component_rig) $(component_worker_rig)
tests_component_test_tls_role_LDADD = $(unit_libs) $(SSL_LIBS)
tests_component_test_sandbox_SOURCES = tests/component/test_sandbox.c \
	$(component_attempts)
tests_component_test_sandbox_LDADD = $(worker_libs) $(SECCOMP_LIBS)
tests_component_test_sandbox_LDFLAGS = -Wl,--wrap=syscall
tests_component_test_spawn_SOURCES = tests/component/test_spawn.c \
	$(component_rig)
tests_component_test_spawn_LDADD = $(master_libs)
tests_component_test_spawn_LDFLAGS = \
	-Wl,--wrap=pidfd_open -Wl,--wrap=waitpid
tests_component_test_worker_SOURCES = tests/component/test_worker.c \
	$(component_rig)
tests_component_test_worker_LDADD = $(master_libs)
endif
