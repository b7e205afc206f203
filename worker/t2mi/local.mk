# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/t2mi/baseband.c worker/t2mi/baseband.h \
	worker/t2mi/t2mi.c worker/t2mi/t2mi.h
