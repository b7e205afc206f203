# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/supervise/auth_proc.c master/supervise/auth_proc.h \
	master/supervise/backoff.c master/supervise/backoff.h \
	master/supervise/deliver_proc.c master/supervise/deliver_proc.h \
	master/supervise/entry.c master/supervise/entry.h \
	master/supervise/fleet.c master/supervise/fleet.h \
	master/supervise/jobs.c master/supervise/jobs.h \
	master/supervise/listeners.c master/supervise/listeners.h \
	master/supervise/pace.c master/supervise/pace.h \
	master/supervise/proc_state.c master/supervise/proc_state.h \
	master/supervise/service_proc.c master/supervise/service_proc.h \
	master/supervise/session_list.c master/supervise/session_list.h \
	master/supervise/spawn.c master/supervise/spawn.h \
	master/supervise/stream_plan.c master/supervise/stream_plan.h \
	master/supervise/worker_proc.c master/supervise/worker_proc.h
