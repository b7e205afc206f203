# SPDX-License-Identifier: GPL-3.0-or-later
libservice_a_SOURCES += \
	common/log/log_file.c common/log/log_file.h \
	common/log/log_lines.c common/log/log_lines.h \
	common/log/log_syslog.c common/log/log_syslog.h
