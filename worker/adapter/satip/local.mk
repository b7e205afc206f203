# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/adapter/satip/head.c worker/adapter/satip/head.h \
	worker/adapter/satip/rtsp.c worker/adapter/satip/rtsp.h \
	worker/adapter/satip/satip_health.c \
	worker/adapter/satip/satip_pids.c worker/adapter/satip/satip_pids.h \
	worker/adapter/satip/satip_session.c \
	worker/adapter/satip/satip_session.h \
	worker/adapter/satip/ses1.c worker/adapter/satip/ses1.h
