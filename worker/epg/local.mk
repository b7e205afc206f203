# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/epg/guide.c worker/epg/guide.h \
	worker/epg/guide_event.c worker/epg/guide_event.h
