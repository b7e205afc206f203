# SPDX-License-Identifier: GPL-3.0-or-later
# What needs no library is in the library: tests link it.
libworker_a_SOURCES += \
	worker/net/hls/audio_track.c worker/net/hls/audio_track.h \
	worker/net/hls/cc_join.c worker/net/hls/cc_join.h \
	worker/net/hls/hls_mux.c worker/net/hls/hls_mux.h \
	worker/net/hls/hls_mux_pmt.c worker/net/hls/hls_mux_pmt.h \
	worker/net/hls/m3u8.c worker/net/hls/m3u8.h \
	worker/net/hls/m3u8_parser.h \
	worker/net/hls/m3u8_text.c \
	worker/net/hls/packed_audio.c worker/net/hls/packed_audio.h \
	worker/net/hls/pcr_rebuild.c worker/net/hls/pcr_rebuild.h \
	worker/net/hls/segment_play.c worker/net/hls/segment_play.h \
	worker/net/hls/segment_window.c worker/net/hls/segment_window.h
sluice_worker_net_SOURCES += \
	worker/net/hls/hls_audio.c worker/net/hls/hls_audio.h \
	worker/net/hls/hls_list.c worker/net/hls/hls_list.h \
	worker/net/hls/hls_load.c worker/net/hls/hls_load.h \
	worker/net/hls/hls_source.c worker/net/hls/hls_source.h \
	worker/net/hls/hls_track.c worker/net/hls/hls_track.h
