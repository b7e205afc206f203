# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/fragment/fmp4.c worker/fragment/fmp4.h \
	worker/fragment/fmp4_audio.c \
	worker/fragment/fmp4_boxes.c \
	worker/fragment/fmp4_codecs.c \
	worker/fragment/fmp4_past.c \
	worker/fragment/fmp4_sets.c \
	worker/fragment/fmp4_state.c \
	worker/fragment/fmp4_track.h \
	worker/fragment/fmp4_video.c
