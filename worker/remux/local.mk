# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/remux/section_writer.c worker/remux/section_writer.h \
	worker/remux/table_versions.c worker/remux/table_versions.h
