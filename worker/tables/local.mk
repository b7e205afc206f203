# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/tables/country.c worker/tables/country.h \
	worker/tables/eit_build.c worker/tables/eit_build.h \
	worker/tables/eit_image.c worker/tables/eit_image.h \
	worker/tables/eit_versions.c worker/tables/eit_versions.h \
	worker/tables/nit_build.c worker/tables/nit_build.h \
	worker/tables/sdt_other.c worker/tables/sdt_other.h \
	worker/tables/section_schedule.c worker/tables/section_schedule.h \
	worker/tables/table_stage.c worker/tables/table_stage.h \
	worker/tables/time_build.c worker/tables/time_build.h \
	worker/tables/zone.c worker/tables/zone.h \
	worker/tables/zone_rule.c
