# SPDX-License-Identifier: GPL-3.0-or-later
sluice_worker_net_SOURCES += \
	worker/net/srt/srt_calls.c worker/net/srt/srt_calls.h \
	worker/net/srt/srt_input.c \
	worker/net/srt/srt_output.c \
	worker/net/srt/srt_peer.c worker/net/srt/srt_peer.h \
	worker/net/srt/srt_place.c worker/net/srt/srt_place.h \
	worker/net/srt/srt_receivers.c worker/net/srt/srt_receivers.h \
	worker/net/srt/srt_socket.c worker/net/srt/srt_socket.h \
	worker/net/srt/srt_stats.c worker/net/srt/srt_stats.h \
	worker/net/srt/srt_streamid.c worker/net/srt/srt_streamid.h
