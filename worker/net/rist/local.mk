# SPDX-License-Identifier: GPL-3.0-or-later
sluice_worker_net_SOURCES += \
	worker/net/rist/rist_events.c worker/net/rist/rist_events.h \
	worker/net/rist/rist_gaps.c worker/net/rist/rist_gaps.h \
	worker/net/rist/rist_input.c \
	worker/net/rist/rist_link.c worker/net/rist/rist_link.h \
	worker/net/rist/rist_output.c \
	worker/net/rist/rist_peers.c worker/net/rist/rist_peers.h
