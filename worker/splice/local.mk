# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/splice/entry.h \
	worker/splice/splice.h \
	worker/splice/state.h
