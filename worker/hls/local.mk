# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/hls/join.c worker/hls/join.h \
	worker/hls/m3u8.c worker/hls/m3u8.h \
	worker/hls/mend.c worker/hls/mend.h \
	worker/hls/play.c worker/hls/play.h \
	worker/hls/window.c worker/hls/window.h
