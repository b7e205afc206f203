# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/mux/delay_line.c worker/mux/delay_line.h \
	worker/mux/eit_share.c worker/mux/eit_share.h \
	worker/mux/fill.h \
	worker/mux/lane.c worker/mux/lane.h \
	worker/mux/mux.c worker/mux/mux.h \
	worker/mux/mux_absent.c \
	worker/mux/mux_counters.c worker/mux/mux_counters.h \
	worker/mux/mux_file.c \
	worker/mux/mux_fill.c \
	worker/mux/mux_gates.c \
	worker/mux/mux_kept.c worker/mux/mux_kept.h \
	worker/mux/mux_places.c \
	worker/mux/mux_pmts.c \
	worker/mux/mux_plan.c worker/mux/mux_plan.h \
	worker/mux/mux_rate.c \
	worker/mux/mux_report.c \
	worker/mux/mux_services.c \
	worker/mux/mux_state.h \
	worker/mux/mux_tables.c \
	worker/mux/spread.c worker/mux/spread.h \
	worker/mux/starts.c worker/mux/starts.h \
	worker/mux/waiting.c worker/mux/waiting.h
