# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/socket/netif.c worker/socket/netif.h \
	worker/socket/netif_watch.c worker/socket/netif_watch.h \
	worker/socket/qdisc.c worker/socket/qdisc.h \
	worker/socket/receive_socket.c worker/socket/receive_socket.h \
	worker/socket/retry.h \
	worker/socket/send_socket.c worker/socket/send_socket.h
