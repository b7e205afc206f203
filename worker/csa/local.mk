# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/csa/crypto_periods.c worker/csa/crypto_periods.h \
	worker/csa/core.c worker/csa/core.h \
	worker/csa/core_choice.c worker/csa/core_choice.h \
	worker/csa/csa.c worker/csa/csa.h \
	worker/csa/descrambler.c worker/csa/descrambler.h \
	worker/csa/schedule.c worker/csa/schedule.h \
	worker/csa/scrambler.c worker/csa/scrambler.h \
	worker/csa/slices.h
if CSA_CORES
libworker_a_SOURCES += \
	worker/csa/core_avx2.c \
	worker/csa/core_avx512.c
endif
