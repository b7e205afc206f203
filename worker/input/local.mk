# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/input/batch.c worker/input/batch.h \
	worker/input/file.c \
	worker/input/file_clock.c worker/input/file_clock.h \
	worker/input/input.c worker/input/input.h worker/input/kind.h \
	worker/input/lap.c worker/input/lap.h \
	worker/input/netif.c worker/input/netif.h \
	worker/input/playout.c worker/input/playout.h \
	worker/input/receiver.c worker/input/receiver.h \
	worker/input/rtp.c worker/input/rtp.h \
	worker/input/udp.c \
	worker/input/udp_socket.c worker/input/udp_socket.h
