# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/csa/csa.c worker/csa/csa.h \
	worker/csa/descrambler.c worker/csa/descrambler.h \
	worker/csa/scrambler.c worker/csa/scrambler.h
