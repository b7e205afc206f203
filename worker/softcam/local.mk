# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/softcam/dial.c worker/softcam/dial.h \
	worker/softcam/role.c
