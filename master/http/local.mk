# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/http/static_answer.c master/http/static_answer.h \
	master/http/static_files.c master/http/static_files.h \
	master/http/static_folder.c master/http/static_folder.h
