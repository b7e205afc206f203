# SPDX-License-Identifier: GPL-3.0-or-later
libproto_a_SOURCES += \
	proto/ipc/channel.c proto/ipc/channel.h \
	proto/ipc/contract.h \
	proto/ipc/credit.c proto/ipc/credit.h \
	proto/ipc/msg.c proto/ipc/msg.h \
	proto/ipc/msg_cam.c proto/ipc/msg_cam.h \
	proto/ipc/msg_epg.c proto/ipc/msg_epg.h \
	proto/ipc/msg_cas.c proto/ipc/msg_cas.h \
	proto/ipc/msg_deliver.h \
	proto/ipc/msg_link.h \
	proto/ipc/msg_mux.h \
	proto/ipc/msg_report.h \
	proto/ipc/msg_roles.c \
	proto/ipc/msg_scan.c \
	proto/ipc/msg_services.h \
	proto/ipc/msg_softcam.c proto/ipc/msg_softcam.h \
	proto/ipc/msg_stream.c \
	proto/ipc/msg_tables.h
