# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/merge/ts_duplicates.c worker/merge/ts_duplicates.h \
	worker/merge/ts_likeness.c worker/merge/ts_likeness.h \
	worker/merge/ts_match.c worker/merge/ts_match.h \
	worker/merge/ts_merge.c worker/merge/ts_merge.h \
	worker/merge/ts_queue.c worker/merge/ts_queue.h
