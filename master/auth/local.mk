# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/auth/auth.c master/auth/auth.h \
	master/auth/caller.h \
	master/auth/first_start.c master/auth/first_start.h \
	master/auth/password_check.c master/auth/password_check.h
