# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/config/check.h \
	master/config/check_file.h \
	master/config/config.h
