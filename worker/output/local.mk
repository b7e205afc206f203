# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/output/admission.c worker/output/admission.h \
	worker/output/announcement.c worker/output/announcement.h \
	worker/output/cbr.c worker/output/cbr.h \
	worker/output/cbr_clock.c worker/output/cbr_clock.h \
	worker/output/cbr_loop.c worker/output/cbr_loop.h \
	worker/output/cbr_late.c \
	worker/output/cbr_memory.c worker/output/cbr_memory.h \
	worker/output/cbr_state.h worker/output/cbr_times.c \
	worker/output/cc_rewrite.c worker/output/cc_rewrite.h \
	worker/output/codec_watch.c worker/output/codec_watch.h \
	worker/output/departure_plan.c worker/output/departure_plan.h \
	worker/output/file_name.c worker/output/file_name.h \
	worker/output/file_output.c \
	worker/output/file_store.c worker/output/file_store.h \
	worker/output/file_writer.c worker/output/file_writer.h \
	worker/output/group_length.h \
	worker/output/iat_out.c worker/output/iat_out.h \
	worker/output/join_point.c worker/output/join_point.h \
	worker/output/output.c worker/output/output.h \
	worker/output/output_type.h \
	worker/output/pacer.c worker/output/pacer.h \
	worker/output/part_cut.c worker/output/part_cut.h \
	worker/output/ring_counters.c worker/output/ring_counters.h \
	worker/output/ring_hls.c worker/output/ring_hls.h \
	worker/output/ring_out.c worker/output/ring_out.h \
	worker/output/sap.c worker/output/sap.h \
	worker/output/segmenter.c worker/output/segmenter.h \
	worker/output/sender.c worker/output/sender.h \
	worker/output/track_list.c worker/output/track_list.h \
	worker/output/udp_output.c \
	worker/output/udp_wire.c worker/output/udp_wire.h \
	worker/output/unit_time.c worker/output/unit_time.h
