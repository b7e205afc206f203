# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/api/api.h
