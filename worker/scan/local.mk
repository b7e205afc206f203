# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/scan/announced.c worker/scan/announced.h \
	worker/scan/collect.c worker/scan/collect.h \
	worker/scan/ears.c worker/scan/ears.h \
	worker/scan/listening.c worker/scan/listening.h \
	worker/scan/role.c
