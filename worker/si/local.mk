# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/si/charset.h \
	worker/si/charset_6937.c \
	worker/si/charset_8859.c \
	worker/si/charset_gb2312.c \
	worker/si/charset_ksx1001.c \
	worker/si/text.h \
	worker/si/text_decode.c \
	worker/si/text_encode.c
