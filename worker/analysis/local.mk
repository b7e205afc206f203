# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/analysis/alarm_rules.c \
	worker/analysis/alarm_state.c worker/analysis/alarm_state.h \
	worker/analysis/monitor.c worker/analysis/monitor.h \
	worker/analysis/monitor_state.h \
	worker/analysis/pcr_check.c worker/analysis/pcr_check.h \
	worker/analysis/pid_stats.h \
	worker/analysis/psip_watch.c worker/analysis/psip_watch.h \
	worker/analysis/report.c worker/analysis/report.h \
	worker/analysis/report_pids.c \
	worker/analysis/si_watch.c worker/analysis/si_watch.h \
	worker/analysis/tstd.c worker/analysis/tstd.h \
	worker/analysis/unit_buffer.c worker/analysis/unit_buffer.h
