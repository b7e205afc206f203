# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/remux/ait_build.c worker/remux/ait_build.h \
	worker/remux/desc_apply.c worker/remux/desc_apply.h \
	worker/remux/ids.c worker/remux/ids.h \
	worker/remux/pid_plan.c worker/remux/pid_plan.h \
	worker/remux/place.h \
	worker/remux/psi_build.c worker/remux/psi_build.h \
	worker/remux/psip_build.c worker/remux/psip_build.h \
	worker/remux/remux.c worker/remux/remux.h \
	worker/remux/remux_absent.c \
	worker/remux/remux_build.c \
	worker/remux/remux_emit.c \
	worker/remux/remux_plan.c \
	worker/remux/remux_psip.c \
	worker/remux/remux_route.c \
	worker/remux/remux_state.h \
	worker/remux/remux_tables.c \
	worker/remux/runs_out.h \
	worker/remux/sdt_build.c worker/remux/sdt_build.h \
	worker/remux/section_queue.c worker/remux/section_queue.h \
	worker/remux/section_writer.c worker/remux/section_writer.h \
	worker/remux/selection.c worker/remux/selection.h \
	worker/remux/service_desc.c worker/remux/service_desc.h \
	worker/remux/si_versions.c worker/remux/si_versions.h \
	worker/remux/stream_clock.c worker/remux/stream_clock.h \
	worker/remux/version_stage.c worker/remux/version_stage.h \
	worker/remux/table_versions.c worker/remux/table_versions.h
