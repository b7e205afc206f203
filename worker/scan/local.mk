# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/scan/collect.c worker/scan/collect.h \
	worker/scan/role.c
