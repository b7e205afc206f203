# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/scan/adapter_task.c worker/scan/adapter_task.h \
	worker/scan/scan_report.c worker/scan/scan_report.h \
	worker/scan/role.c \
	worker/scan/sap_task.c worker/scan/sap_task.h \
	worker/scan/scan_services.c worker/scan/scan_services.h \
	worker/scan/session_table.c worker/scan/session_table.h \
	worker/scan/tuning_list.c worker/scan/tuning_list.h
