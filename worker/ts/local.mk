# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/ts/analyze.h \
	worker/ts/cc.h \
	worker/ts/desc.h \
	worker/ts/packet.h \
	worker/ts/pat.h \
	worker/ts/pcr.h \
	worker/ts/pmt.h \
	worker/ts/psi.h \
	worker/ts/rap.h \
	worker/ts/section.h \
	worker/ts/sync.h
