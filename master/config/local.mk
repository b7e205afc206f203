# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/config/check.c master/config/check.h \
	master/config/check_file.c master/config/check_file.h \
	master/config/check_links.c \
	master/config/check_log.c master/config/check_log.h \
	master/config/check_stream.c \
	master/config/check_user.c \
	master/config/config.c master/config/config.h \
	master/config/document.c master/config/document.h \
	master/config/findings.c master/config/findings.h \
	master/config/lock.c master/config/lock.h \
	master/config/judge.c master/config/judge.h \
	master/config/reader.c master/config/reader.h \
	master/config/replace.c master/config/replace.h \
	master/config/rescue.c master/config/rescue.h \
	master/config/revisions.c master/config/revisions.h \
	master/config/save.c master/config/save.h \
	master/config/slips.c master/config/slips.h \
	master/config/sound.c master/config/sound.h \
	master/config/starts.c master/config/starts.h \
	master/config/surroundings.c master/config/surroundings.h
