# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/splice/clock.c worker/splice/clock.h \
	worker/splice/cue.c worker/splice/cue.h \
	worker/splice/switch_point.c worker/splice/switch_point.h \
	worker/splice/pcr_jump.c \
	worker/splice/foreign.c \
	worker/splice/jump.c \
	worker/splice/rewrite.c \
	worker/splice/packet.c \
	worker/splice/pes_split.c worker/splice/pes_split.h \
	worker/splice/machine.h \
	worker/splice/programs.c \
	worker/splice/drain.c \
	worker/splice/splice.c worker/splice/splice.h \
	worker/splice/split.c \
	worker/splice/stamps.c worker/splice/stamps.h \
	worker/splice/continuity.c worker/splice/continuity.h \
	worker/splice/units.c
