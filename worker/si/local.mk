# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/si/bits.h \
	worker/si/cat.c \
	worker/si/charset.h \
	worker/si/charset_6937.c \
	worker/si/charset_8859.c \
	worker/si/charset_gb2312.c \
	worker/si/charset_ksx1001.c \
	worker/si/desc.c worker/si/desc.h \
	worker/si/desc_delivery.c \
	worker/si/desc_dvb.c \
	worker/si/desc_event.c \
	worker/si/desc_mpeg.c \
	worker/si/desc_tables.h \
	worker/si/eit.c \
	worker/si/fields.c worker/si/fields.h \
	worker/si/json.c worker/si/json.h \
	worker/si/nit.c \
	worker/si/pat.c \
	worker/si/pmt.c \
	worker/si/record.c worker/si/record.h \
	worker/si/sdt.c \
	worker/si/table.h \
	worker/si/tdt.c \
	worker/si/text.h \
	worker/si/text_decode.c \
	worker/si/text_encode.c
