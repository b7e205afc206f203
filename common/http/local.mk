# SPDX-License-Identifier: GPL-3.0-or-later
libservice_a_SOURCES += \
	common/http/conn.c common/http/conn.h \
	common/http/response.c common/http/response.h \
	common/http/server.c common/http/server.h
