# SPDX-License-Identifier: GPL-3.0-or-later
libservice_a_SOURCES += \
	common/document/crash_guard.c common/document/crash_guard.h \
	common/document/document.c common/document/document.h \
	common/document/fallback.c common/document/fallback.h \
	common/document/file_state.c common/document/file_state.h \
	common/document/lock.c common/document/lock.h \
	common/document/reader.c common/document/reader.h \
	common/document/replace.c common/document/replace.h \
	common/document/revisions.c common/document/revisions.h \
	common/document/save.c common/document/save.h
