# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/querier/listen.c worker/querier/listen.h \
	worker/querier/querier_table.c worker/querier/querier_table.h \
	worker/querier/query.c worker/querier/query.h \
	worker/querier/role.c
