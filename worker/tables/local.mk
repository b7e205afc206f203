# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/tables/country.c worker/tables/country.h \
	worker/tables/nit_build.c worker/tables/nit_build.h \
	worker/tables/section_schedule.c worker/tables/section_schedule.h \
	worker/tables/table_stage.c worker/tables/table_stage.h \
	worker/tables/time_build.c worker/tables/time_build.h \
	worker/tables/zone.c worker/tables/zone.h \
	worker/tables/zone_rule.c
