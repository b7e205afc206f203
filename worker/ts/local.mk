# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/ts/analyze.c worker/ts/analyze.h \
	worker/ts/audio.c worker/ts/audio.h \
	worker/ts/batch.c worker/ts/batch.h \
	worker/ts/cc.c worker/ts/cc.h \
	worker/ts/fifo.c worker/ts/fifo.h \
	worker/ts/packet.h \
	worker/ts/pat.c worker/ts/pat.h \
	worker/ts/pcr.c worker/ts/pcr.h \
	worker/ts/pes.c worker/ts/pes.h \
	worker/ts/pes_head.c worker/ts/pes_head.h \
	worker/ts/pmt.c worker/ts/pmt.h \
	worker/ts/t_std.c worker/ts/t_std.h \
	worker/ts/psi.c worker/ts/psi.h \
	worker/ts/psi_lead.c worker/ts/psi_lead.h \
	worker/ts/rap.c worker/ts/rap.h \
	worker/ts/section.c worker/ts/section.h \
	worker/ts/si_table.c worker/ts/si_table.h \
	worker/ts/skips.h \
	worker/ts/sync.c worker/ts/sync.h
