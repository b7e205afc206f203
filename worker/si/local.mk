# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/si/collect.c worker/si/collect.h \
	worker/si/eit.c worker/si/eit.h \
	worker/si/plp_list.c worker/si/plp_list.h \
	worker/si/record_feed.c worker/si/record_feed.h
