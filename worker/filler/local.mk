# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/filler/aac.c \
	worker/filler/ac3.c \
	worker/filler/filler.c worker/filler/filler.h \
	worker/filler/picture.c worker/filler/picture.h \
	worker/filler/play.c worker/filler/play.h \
	worker/filler/si_keeper.c worker/filler/si_keeper.h \
	worker/filler/silent.c worker/filler/silent.h
