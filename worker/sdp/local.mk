# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/sdp/offer.c worker/sdp/offer.h \
	worker/sdp/sap_packet.c worker/sdp/sap_packet.h \
	worker/sdp/sdp.c worker/sdp/sdp.h \
	worker/sdp/sdp_field.c worker/sdp/sdp_field.h
