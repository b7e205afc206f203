# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/http/conn.c master/http/conn.h \
	master/http/peers.c master/http/peers.h \
	master/http/response.c master/http/response.h \
	master/http/server.c master/http/server.h
