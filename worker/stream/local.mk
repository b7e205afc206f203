# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/stream/absent_file.c worker/stream/absent_file.h \
	worker/stream/analysis_report.c \
	worker/stream/ca_inserter.c worker/stream/ca_inserter.h \
	worker/stream/cas_stage.c worker/stream/cas_stage.h \
	worker/stream/cas_systems.c worker/stream/cas_systems.h \
	worker/stream/candidate.c worker/stream/candidate.h \
	worker/stream/chain_choice.c \
	worker/stream/cue_memory.c worker/stream/cue_memory.h \
	worker/stream/cue_watch.c worker/stream/cue_watch.h \
	worker/stream/input_chain.c worker/stream/input_chain.h \
	worker/stream/map_log.c worker/stream/map_log.h \
	worker/stream/memory.c worker/stream/memory.h \
	worker/stream/monitor_log.c worker/stream/monitor_log.h \
	worker/stream/mux_input.c worker/stream/mux_input.h \
	worker/stream/mux_memory.c worker/stream/mux_memory.h \
	worker/stream/mux_stage.c worker/stream/mux_stage.h \
	worker/stream/mux_status.c \
	worker/stream/netif_news.c worker/stream/netif_news.h \
	worker/stream/omission_log.c worker/stream/omission_log.h \
	worker/stream/own_network.c worker/stream/own_network.h \
	worker/stream/own_sections.c worker/stream/own_sections.h \
	worker/stream/own_cue.c worker/stream/own_cue.h \
	worker/stream/own_eit.c worker/stream/own_eit.h \
	worker/stream/turns.h \
	worker/stream/own_others.c worker/stream/own_others.h \
	worker/stream/passed_eits.c worker/stream/passed_eits.h \
	worker/stream/other_guides.c worker/stream/other_guides.h \
	worker/stream/output_sdt.c worker/stream/output_sdt.h \
	worker/stream/own_tables.c worker/stream/own_tables.h \
	worker/stream/pipeline.c worker/stream/pipeline.h \
	worker/stream/pipeline_state.h \
	worker/stream/role.c \
	worker/stream/pipeline_status.c worker/stream/pipeline_tables.c \
	worker/stream/pipeline_viewing.c \
	worker/stream/selector.c worker/stream/selector.h \
	worker/stream/selector_switch.c \
	worker/stream/selector_report.c \
	worker/stream/selector_state.h \
	worker/stream/sink.c worker/stream/sink.h \
	worker/stream/tap.c worker/stream/tap.h \
	worker/stream/ticker.c worker/stream/ticker.h
