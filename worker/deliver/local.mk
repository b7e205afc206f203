# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/deliver/answer.c worker/deliver/answer.h \
	worker/deliver/conn.c worker/deliver/conn.h \
	worker/deliver/deliver.c worker/deliver/deliver.h \
	worker/deliver/kernel_limits.c worker/deliver/kernel_limits.h \
	worker/deliver/lag.c worker/deliver/lag.h \
	worker/deliver/listener.c worker/deliver/listener.h \
	worker/deliver/mount.c worker/deliver/mount.h \
	worker/deliver/mount_table.c worker/deliver/mount_table.h \
	worker/deliver/role.c \
	worker/deliver/roster.c worker/deliver/roster.h \
	worker/deliver/tls_link.c worker/deliver/tls_link.h \
	worker/deliver/viewer.c worker/deliver/viewer.h

