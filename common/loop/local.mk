# SPDX-License-Identifier: GPL-3.0-or-later
libcommon_a_SOURCES += \
	common/loop/first_byte.c common/loop/first_byte.h \
	common/loop/helper.c common/loop/helper.h \
	common/loop/thread.c common/loop/thread.h \
	common/loop/timer.c common/loop/timer.h \
	common/loop/turn_queue.c common/loop/turn_queue.h
