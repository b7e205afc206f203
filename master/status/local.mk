# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/status/history.c master/status/history.h \
	master/status/host_advice.c master/status/host_advice.h \
	master/status/hour.c master/status/hour.h \
	master/status/minute.c master/status/minute.h \
	master/status/status.c master/status/status.h \
	master/status/status_alarm.c \
	master/status/status_event.c \
	master/status/status_kept.c \
	master/status/status_metrics.c \
	master/status/status_network.c \
	master/status/status_output.c \
	master/status/status_overview.c \
	master/status/status_set.h \
	master/status/status_state.h \
	master/status/status_raised.c \
	master/status/status_source.c \
	master/status/status_stream.c master/status/status_stream.h \
	master/status/status_words.c \
	master/status/status_worker.c \
	master/status/system_alarms.c master/status/system_alarms.h \
	master/status/system_status.c master/status/system_status.h
