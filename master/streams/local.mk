# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/streams/adapter_cams.c master/streams/adapter_cams.h \
	master/streams/adapter_handover.c master/streams/adapter_links.c \
	master/streams/adapter_minute.c master/streams/adapter_minute.h \
	master/streams/adapter_procs.c master/streams/adapter_procs.h \
	master/streams/adapter_procs_state.h \
	master/streams/adapter_programs.c \
	master/streams/adapter_programs.h \
	master/streams/analysis_request.c master/streams/analysis_request.h \
	master/streams/cas_emmg.c master/streams/cas_emmg.h \
	master/streams/cas_procs.c master/streams/cas_procs.h \
	master/streams/deliver_pictures.c \
	master/streams/deliver_proc.c master/streams/deliver_proc.h \
	master/streams/deliver_state.h master/streams/deliver_worker.c \
	master/streams/feeds.c master/streams/feeds.h \
	master/streams/input_choice.c master/streams/input_choice.h \
	master/streams/input_scan.c master/streams/input_scan.h \
	master/streams/listeners.c master/streams/listeners.h \
	master/streams/mount_number.c \
	master/streams/epg_exports.c master/streams/epg_exports.h \
	master/streams/epg_file.c master/streams/epg_file.h \
	master/streams/epg_keys.c master/streams/epg_keys.h \
	master/streams/epg_asks.c master/streams/epg_asks.h \
	master/streams/epg_docs.c master/streams/epg_docs.h \
	master/streams/epg_moves.c master/streams/epg_moves.h \
	master/streams/epg_proc.c master/streams/epg_proc.h \
	master/streams/epg_proc_state.h master/streams/epg_save.c \
	master/streams/guide_links.c master/streams/guide_links.h \
	master/streams/feed_report.c master/streams/feed_report.h \
	master/streams/mpts.c master/streams/mpts.h \
	master/streams/picture_proc.c master/streams/picture_proc.h \
	master/streams/querier_proc.c master/streams/querier_proc.h \
	master/streams/queriers.c master/streams/queriers.h \
	master/streams/receivers.c master/streams/receivers.h \
	master/streams/reconciler.c master/streams/reconciler.h \
	master/streams/reconciler_feeds.c \
	master/streams/reconciler_links.c \
	master/streams/reconciler_services.c \
	master/streams/reconciler_state.h \
	master/streams/session_format.c master/streams/session_format.h \
	master/streams/session_list.c master/streams/session_list.h \
	master/streams/stream_analyze.c \
	master/streams/stream_cams.c \
	master/streams/stream_foresee.c \
	master/streams/stream_memory.c master/streams/stream_memory.h \
	master/streams/stream_mounts.c \
	master/streams/stream_proc_renew.c master/streams/stream_proc_state.h \
	master/streams/demand.c master/streams/demand.h \
	master/streams/stream_cue.c \
	master/streams/stream_demand.c master/streams/stream_demand.h \
	master/streams/stream_index.c master/streams/stream_index.h \
	master/streams/stream_plan.c master/streams/stream_plan.h \
	master/streams/stream_proc.c master/streams/stream_proc.h \
	master/streams/stream_receivers.c \
	master/streams/hls_bases.c master/streams/hls_bases.h \
	master/streams/stream_ring.c master/streams/stream_ring.h \
	master/streams/stream_network.c \
	master/streams/stream_time.c \
	master/streams/switch_log.c master/streams/switch_log.h \
	master/streams/worker_request.c master/streams/worker_request.h
