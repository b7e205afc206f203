# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/input/file_clock.c worker/input/file_clock.h \
	worker/input/file_errors.c worker/input/file_errors.h \
	worker/input/file_input.c \
	worker/input/file_reader.c worker/input/file_reader.h \
	worker/input/iat_in.c worker/input/iat_in.h \
	worker/input/input.c worker/input/input.h \
	worker/input/input_keeper.c worker/input/input_keeper.h \
	worker/input/input_type.h \
	worker/input/lap.c worker/input/lap.h \
	worker/input/lap_tail.c worker/input/lap_tail.h \
	worker/input/merge_input.c \
	worker/input/packet_ring.c worker/input/packet_ring.h \
	worker/input/playout.c worker/input/playout.h \
	worker/input/program_filter.c worker/input/program_filter.h \
	worker/input/receiver.c worker/input/receiver.h \
	worker/input/redundant_paths.c worker/input/redundant_paths.h \
	worker/input/rtp_input.c \
	worker/input/rtp_path.c worker/input/rtp_path.h \
	worker/input/sdp_input.c \
	worker/input/stream_input.c \
	worker/input/udp_flow.c worker/input/udp_flow.h \
	worker/input/udp_input.c
