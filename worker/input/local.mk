# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/input/arrivals.c worker/input/arrivals.h \
	worker/input/batch.c worker/input/batch.h \
	worker/input/fec.c worker/input/fec.h \
	worker/input/fec_repair.c worker/input/fec_repair.h \
	worker/input/file.c \
	worker/input/file_clock.c worker/input/file_clock.h \
	worker/input/file_faults.c worker/input/file_faults.h \
	worker/input/file_reader.c worker/input/file_reader.h \
	worker/input/input.c worker/input/input.h worker/input/kind.h \
	worker/input/lap.c worker/input/lap.h \
	worker/input/merge_input.c \
	worker/input/netif.c worker/input/netif.h \
	worker/input/netif_watch.c worker/input/netif_watch.h \
	worker/input/packet_ring.c worker/input/packet_ring.h \
	worker/input/playout.c worker/input/playout.h \
	worker/input/receiver.c worker/input/receiver.h \
	worker/input/rtp.c worker/input/rtp.h \
	worker/input/rtp_flow.c worker/input/rtp_flow.h \
	worker/input/rtp_input.c \
	worker/input/rtp_leg.c worker/input/rtp_leg.h \
	worker/input/rtp_places.c \
	worker/input/rtp_store.c worker/input/rtp_store.h \
	worker/input/rtp_window.c worker/input/rtp_window.h \
	worker/input/rtp_window_state.h \
	worker/input/sdp.c \
	worker/input/silence.h \
	worker/input/stream.c \
	worker/input/ts_doubles.c worker/input/ts_doubles.h \
	worker/input/ts_likeness.c worker/input/ts_likeness.h \
	worker/input/ts_match.c \
	worker/input/ts_merge.c worker/input/ts_merge.h \
	worker/input/ts_merge_state.h \
	worker/input/ts_queue.c worker/input/ts_queue.h \
	worker/input/ts_seen.c worker/input/ts_seen.h \
	worker/input/udp.c \
	worker/input/udp_flow.c worker/input/udp_flow.h \
	worker/input/udp_socket.c worker/input/udp_socket.h
