# SPDX-License-Identifier: GPL-3.0-or-later
libservice_a_SOURCES += \
	common/ws/hub.c common/ws/hub.h \
	common/ws/ws_client.c common/ws/ws_client.h
