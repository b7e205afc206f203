# SPDX-License-Identifier: GPL-3.0-or-later
libproto_a_SOURCES += \
	proto/si/atsc_huffman.c proto/si/atsc_huffman.h \
	proto/si/bits.h \
	proto/si/charset.h \
	proto/si/charset_6937.c \
	proto/si/codec.c proto/si/codec.h \
	proto/si/cue_command.c proto/si/cue_command.h \
	proto/si/desc.h \
	proto/si/desc_delivery.c \
	proto/si/desc_dvb.c \
	proto/si/desc_event.c \
	proto/si/desc_mpeg.c \
	proto/si/desc_tables.h \
	proto/si/descriptors.c proto/si/descriptors.h \
	proto/si/fields.c proto/si/fields.h \
	proto/si/json.c proto/si/json.h \
	proto/si/pid_class.c proto/si/pid_class.h \
	proto/si/record.c proto/si/record.h \
	proto/si/record_same.c proto/si/record_same.h \
	proto/si/scsu.c proto/si/scsu.h \
	proto/si/splice_info.c proto/si/splice_info.h \
	proto/si/tables.c proto/si/tables.h \
	proto/si/text.h \
	proto/si/text_dictionary.c proto/si/text_dictionary.h \
	proto/si/text_decode.c \
	proto/si/text_encode.c \
	proto/si/vct.c proto/si/vct.h

# The tables that the C library knows, written by it while building.
noinst_PROGRAMS += proto/si/make_charsets
proto_si_make_charsets_SOURCES = proto/si/make_charsets.c
proto_si_make_charsets_LDADD =
nodist_libproto_a_SOURCES = proto/si/charset_tables.c
CLEANFILES += proto/si/charset_tables.c

proto/si/charset_tables.c: proto/si/make_charsets$(EXEEXT)
	$(AM_V_GEN)proto/si/make_charsets$(EXEEXT) >$@.new && mv $@.new $@
