# SPDX-License-Identifier: GPL-3.0-or-later
sluice_worker_net_SOURCES += \
	worker/net/librist/rist_filter.c worker/net/librist/rist_filter.h \
	worker/net/librist/rist_guard.c worker/net/librist/rist_guard.h \
	worker/net/librist/rist_place.c worker/net/librist/rist_place.h \
	worker/net/librist/rist_sources.c worker/net/librist/rist_sources.h \
	worker/net/librist/rist_threads.c worker/net/librist/rist_threads.h \
	worker/net/librist/rist_watchdog.c worker/net/librist/rist_watchdog.h
