# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/scan/adapter_task.c worker/scan/adapter_task.h \
	worker/scan/iface_list.c worker/scan/iface_list.h \
	worker/scan/scan_listener.c worker/scan/scan_listener.h \
	worker/scan/scan_report.c worker/scan/scan_report.h \
	worker/scan/role.c \
	worker/scan/sap_task.c worker/scan/sap_task.h \
	worker/scan/scan_services.c worker/scan/scan_services.h \
	worker/scan/server_facts.c worker/scan/server_facts.h \
	worker/scan/server_table.c worker/scan/server_table.h \
	worker/scan/server_url.c worker/scan/server_url.h \
	worker/scan/session_table.c worker/scan/session_table.h \
	worker/scan/ssdp_message.c worker/scan/ssdp_message.h \
	worker/scan/tuning_list.c worker/scan/tuning_list.h

# What needs libcurl and libexpat; the role is only in this program.
sluice_worker_net_SOURCES += \
	worker/scan/satip_task.c worker/scan/satip_task.h \
	worker/scan/server_description.c worker/scan/server_description.h \
	worker/scan/server_fetch.c worker/scan/server_fetch.h
