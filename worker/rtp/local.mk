# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/rtp/datagrams.c worker/rtp/datagrams.h \
	worker/rtp/fec.c worker/rtp/fec.h \
	worker/rtp/fec_make.c worker/rtp/fec_make.h \
	worker/rtp/fec_repair.c worker/rtp/fec_repair.h \
	worker/rtp/rtp_clock.c worker/rtp/rtp_clock.h \
	worker/rtp/rtp_damage.c worker/rtp/rtp_damage.h \
	worker/rtp/rtp_flow.c worker/rtp/rtp_flow.h \
	worker/rtp/rtp_packet.c worker/rtp/rtp_packet.h \
	worker/rtp/rtp_places.c worker/rtp/rtp_places.h \
	worker/rtp/rtp_store.c worker/rtp/rtp_store.h \
	worker/rtp/rtp_window.c worker/rtp/rtp_window.h
