# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/hls/join.c worker/hls/join.h \
	worker/hls/m3u8.c worker/hls/m3u8.h \
	worker/hls/m3u8_master.c worker/hls/m3u8_parser.h \
	worker/hls/m3u8_text.c \
	worker/hls/mend.c worker/hls/mend.h \
	worker/hls/mux.c worker/hls/mux.h \
	worker/hls/mux_pmt.c worker/hls/mux_pmt.h \
	worker/hls/packed.c worker/hls/packed.h \
	worker/hls/play.c worker/hls/play.h \
	worker/hls/sound.c worker/hls/sound.h \
	worker/hls/window.c worker/hls/window.h
