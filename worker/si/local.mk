# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/si/charset.h \
	worker/si/charset_6937.c \
	worker/si/collect.c worker/si/collect.h \
	worker/si/desc.c worker/si/desc.h \
	worker/si/desc_delivery.c \
	worker/si/desc_dvb.c \
	worker/si/desc_event.c \
	worker/si/desc_mpeg.c \
	worker/si/desc_tables.h \
	worker/si/eit.c worker/si/eit.h \
	worker/si/fields.c worker/si/fields.h \
	worker/si/json.c worker/si/json.h \
	worker/si/record.c worker/si/record.h \
	worker/si/record_feed.c worker/si/record_feed.h \
	worker/si/text.h \
	worker/si/text_decode.c \
	worker/si/text_encode.c

# The tables that the C library knows, written by it while building.
noinst_PROGRAMS += worker/si/make_charsets
worker_si_make_charsets_SOURCES = worker/si/make_charsets.c
worker_si_make_charsets_LDADD =
nodist_libworker_a_SOURCES = worker/si/charset_tables.c
CLEANFILES += worker/si/charset_tables.c

worker/si/charset_tables.c: worker/si/make_charsets$(EXEEXT)
	$(AM_V_GEN)worker/si/make_charsets$(EXEEXT) >$@.new && mv $@.new $@
