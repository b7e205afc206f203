# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/scan/role.c \
	worker/scan/sap_task.c worker/scan/sap_task.h \
	worker/scan/session_table.c worker/scan/session_table.h
