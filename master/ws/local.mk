# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/ws/chunk.c master/ws/chunk.h \
	master/ws/client.c master/ws/client.h \
	master/ws/handshake.c master/ws/handshake.h \
	master/ws/hub.c master/ws/hub.h
