# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/output/announcement.c worker/output/announcement.h \
	worker/output/cbr.c worker/output/cbr.h \
	worker/output/cbr_clock.c worker/output/cbr_clock.h \
	worker/output/cc_rewrite.c worker/output/cc_rewrite.h \
	worker/output/datagrams.c worker/output/datagrams.h \
	worker/output/departure_plan.c worker/output/departure_plan.h \
	worker/output/departures.c worker/output/departures.h \
	worker/output/entrance.c worker/output/entrance.h \
	worker/output/fec_make.c worker/output/fec_make.h \
	worker/output/fifo.c worker/output/fifo.h \
	worker/output/file.c \
	worker/output/file_name.c worker/output/file_name.h \
	worker/output/file_store.c worker/output/file_store.h \
	worker/output/file_writer.c worker/output/file_writer.h \
	worker/output/kind.h \
	worker/output/output.c worker/output/output.h \
	worker/output/pacer.c worker/output/pacer.h \
	worker/output/qdisc.c worker/output/qdisc.h \
	worker/output/ring_out.c worker/output/ring_out.h \
	worker/output/rtp_clock.c worker/output/rtp_clock.h \
	worker/output/rtp_state.h \
	worker/output/sap.c worker/output/sap.h \
	worker/output/sender.c worker/output/sender.h \
	worker/output/start_point.c worker/output/start_point.h \
	worker/output/udp.c \
	worker/output/udp_wire.c worker/output/udp_wire.h \
	worker/output/udp_socket.c worker/output/udp_socket.h
