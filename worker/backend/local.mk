# SPDX-License-Identifier: GPL-3.0-or-later
sluice_worker_net_SOURCES += \
	worker/backend/backend_fetch.c worker/backend/backend_fetch.h \
	worker/backend/role.c
