# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libmaster.a
libmaster_a_SOURCES = \
	master/control_peers.c master/control_peers.h \
	master/fd_store.c master/fd_store.h \
	master/handover.c master/handover.h \
	master/host_advice.c master/host_advice.h \
	master/master.c master/master.h \
	master/memfd.c master/memfd.h \
	master/options.c master/options.h \
	master/output_fault.c master/output_fault.h \
	master/file_budget.c master/file_budget.h \
	master/history.c master/history.h \
	master/log_file.c master/log_file.h \
	master/log_output.c master/log_output.h \
	master/log_settings.c master/log_settings.h \
	master/log_syslog.c master/log_syslog.h \
	master/minute.c master/minute.h \
	master/proc.c master/proc.h \
	master/queriers.c master/queriers.h \
	master/renewal.c master/renewal.h \
	master/reread.c master/reread.h \
	master/restart.c master/restart.h \
	master/state_path.c master/state_path.h \
	master/status.c master/status.h \
	master/status_alarm.c \
	master/status_network.c \
	master/status_output.c \
	master/status_set.h \
	master/status_source.c \
	master/status_stream.c master/status_stream.h \
	master/system_status.c master/system_status.h \
	master/watchdog.c master/watchdog.h \
	master/worker_path.c master/worker_path.h

include master/supervise/local.mk
include master/config/local.mk
include master/http/local.mk
include master/ws/local.mk
include master/auth/local.mk
include master/api/local.mk

sbin_PROGRAMS += sluice
sluice_SOURCES = master/main.c
sluice_LDADD = libmaster.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(WSLAY_LIBS) $(LIBEV_LIBS) $(JANSSON_LIBS) \
	$(CRYPTO_LIBS) $(CRYPT_LIBS) $(SYSTEMD_LIBS) -lpthread
