# SPDX-License-Identifier: GPL-3.0-or-later
libservice_a_SOURCES += \
	common/supervise/auth_proc.c common/supervise/auth_proc.h \
	common/supervise/backoff.c common/supervise/backoff.h \
	common/supervise/fd_store.c common/supervise/fd_store.h \
	common/supervise/handover.c common/supervise/handover.h \
	common/supervise/heartbeat.c common/supervise/heartbeat.h \
	common/supervise/jobs.c common/supervise/jobs.h \
	common/supervise/memfd.c common/supervise/memfd.h \
	common/supervise/pem_source.c common/supervise/pem_source.h \
	common/supervise/proc_state.c common/supervise/proc_state.h \
	common/supervise/procfs.c common/supervise/procfs.h \
	common/supervise/restart.c common/supervise/restart.h \
	common/supervise/service_list.c common/supervise/service_list.h \
	common/supervise/service_proc.c common/supervise/service_proc.h \
	common/supervise/service_request.c \
	common/supervise/service_request.h \
	common/supervise/spawn.c common/supervise/spawn.h \
	common/supervise/tls_judgement.c common/supervise/tls_judgement.h \
	common/supervise/tls_proc.c common/supervise/tls_proc.h \
	common/supervise/trial.c common/supervise/trial.h \
	common/supervise/worker_path.c common/supervise/worker_path.h \
	common/supervise/worker_log.c common/supervise/worker_log.h \
	common/supervise/worker_proc.c common/supervise/worker_proc.h \
	common/supervise/worker_trial.c common/supervise/worker_trial.h
