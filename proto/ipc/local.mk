# SPDX-License-Identifier: GPL-3.0-or-later
libproto_a_SOURCES += \
	proto/ipc/channel.c proto/ipc/channel.h \
	proto/ipc/contract.h \
	proto/ipc/msg.c proto/ipc/msg.h \
	proto/ipc/msg_analysis.c \
	proto/ipc/msg_auth.c \
	proto/ipc/msg_deliver.c \
	proto/ipc/msg_desc.h \
	proto/ipc/msg_fields.c proto/ipc/msg_fields.h \
	proto/ipc/msg_querier.c \
	proto/ipc/msg_receivers.c \
	proto/ipc/msg_scan.c \
	proto/ipc/msg_softcam.c \
	proto/ipc/msg_stream.c \
	proto/ipc/msg_tls.c \
	proto/ipc/msg_worker.c
