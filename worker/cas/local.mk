# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/cas/simulcrypt.c worker/cas/simulcrypt.h
