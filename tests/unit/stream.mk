# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_stream_tests = \
	tests/unit/stream/test_announcement \
	tests/unit/stream/test_arrivals \
	tests/unit/stream/test_cbr \
	tests/unit/stream/test_cbr_stall \
	tests/unit/stream/test_cc_rewrite \
	tests/unit/stream/test_datagrams \
	tests/unit/stream/test_entrance \
	tests/unit/stream/test_fec \
	tests/unit/stream/test_departures \
	tests/unit/stream/test_departure_plan \
	tests/unit/stream/test_file_clock \
	tests/unit/stream/test_file_faults \
	tests/unit/stream/test_file_input \
	tests/unit/stream/test_file_reader \
	tests/unit/stream/test_file_name \
	tests/unit/stream/test_file_store \
	tests/unit/stream/test_aside \
	tests/unit/stream/test_lane \
	tests/unit/stream/test_loop \
	tests/unit/stream/test_netif_news \
	tests/unit/stream/test_ticker \
	tests/unit/stream/test_memory \
	tests/unit/stream/test_output_socket \
	tests/unit/stream/test_pacer \
	tests/unit/stream/test_packet_ring \
	tests/unit/stream/test_path_file \
	tests/unit/stream/test_path_files \
	tests/unit/stream/test_path_rtp \
	tests/unit/stream/test_path_udp \
	tests/unit/stream/test_playout \
	tests/unit/stream/test_ring_out \
	tests/unit/stream/test_rtp \
	tests/unit/stream/test_rtp_merge \
	tests/unit/stream/test_rtp_clock \
	tests/unit/stream/test_rtp_input \
	tests/unit/stream/test_rtp_window \
	tests/unit/stream/test_sink \
	tests/unit/stream/test_selector \
	tests/unit/stream/test_silence \
	tests/unit/stream/test_source \
	tests/unit/stream/test_merge_model \
	tests/unit/stream/test_ts_merge \
	tests/unit/stream/test_ts_queue \
	tests/unit/stream/test_watch
check_PROGRAMS += $(unit_stream_tests)
TESTS += $(unit_stream_tests)
unit_stream_libs = tests/unit/ts/libbuild.a $(worker_libs)
tests_unit_stream_test_announcement_LDADD = $(unit_stream_libs)
tests_unit_stream_test_arrivals_LDADD = $(unit_stream_libs)
tests_unit_stream_test_cbr_LDADD = $(unit_stream_libs)
tests_unit_stream_test_cbr_stall_LDADD = $(unit_stream_libs)
tests_unit_stream_test_departure_plan_LDADD = $(unit_stream_libs)
tests_unit_stream_test_cc_rewrite_LDADD = $(unit_stream_libs)
tests_unit_stream_test_datagrams_LDADD = $(unit_stream_libs)
tests_unit_stream_test_departures_LDADD = $(unit_stream_libs)
tests_unit_stream_test_entrance_LDADD = $(unit_stream_libs)
tests_unit_stream_test_file_clock_LDADD = $(unit_stream_libs)
tests_unit_stream_test_file_faults_LDADD = $(unit_stream_libs)
tests_unit_stream_test_file_input_LDADD = $(unit_splice_libs)
tests_unit_stream_test_file_input_LDFLAGS = -Wl,--wrap=pread
tests_unit_stream_test_file_reader_LDADD = $(unit_stream_libs)
tests_unit_stream_test_file_reader_LDFLAGS = -Wl,--wrap=pread
tests_unit_stream_test_file_name_LDADD = $(unit_stream_libs)
tests_unit_stream_test_file_store_LDADD = $(unit_splice_libs)
tests_unit_stream_test_file_store_LDFLAGS = \
	-Wl,--wrap=time,--wrap=flock,--wrap=fstatvfs
tests_unit_stream_test_aside_SOURCES = tests/unit/stream/test_aside.c \
	tests/unit/remux/rig.c tests/unit/remux/rig.h
tests_unit_stream_test_aside_LDADD = $(unit_stream_libs)
tests_unit_stream_test_lane_LDADD = $(unit_stream_libs)
tests_unit_stream_test_netif_news_LDADD = $(unit_stream_libs)
tests_unit_stream_test_ticker_LDADD = $(unit_stream_libs)
tests_unit_stream_test_watch_LDADD = $(unit_stream_libs)
tests_unit_stream_test_loop_LDADD = $(unit_stream_libs)
tests_unit_stream_test_memory_LDADD = $(unit_stream_libs)
tests_unit_stream_test_pacer_LDADD = $(unit_stream_libs)
tests_unit_stream_test_packet_ring_LDADD = $(unit_stream_libs)
tests_unit_stream_test_playout_LDADD = $(unit_stream_libs)
tests_unit_stream_test_ring_out_LDADD = $(unit_stream_libs)
tests_unit_stream_test_rtp_clock_LDADD = $(unit_stream_libs)
tests_unit_stream_test_rtp_LDADD = $(unit_stream_libs)
tests_unit_stream_test_fec_LDADD = $(unit_stream_rig)
tests_unit_stream_test_rtp_merge_LDADD = $(unit_stream_rig)
tests_unit_stream_test_ts_merge_SOURCES = \
	tests/unit/stream/merge_rig.c tests/unit/stream/merge_rig.h \
	tests/unit/stream/test_ts_merge.c
tests_unit_stream_test_ts_merge_LDADD = $(unit_stream_libs)
tests_unit_stream_test_ts_queue_LDADD = $(unit_stream_libs)
tests_unit_stream_test_merge_model_SOURCES = \
	tests/unit/stream/merge_count.c tests/unit/stream/merge_count.h \
	tests/unit/stream/merge_sim.c tests/unit/stream/merge_sim.h \
	tests/unit/stream/test_merge_model.c
tests_unit_stream_test_merge_model_LDADD = $(unit_stream_libs)
tests_unit_stream_test_rtp_window_LDADD = $(unit_stream_rig)
tests_unit_stream_test_selector_LDADD = $(unit_stream_libs)
tests_unit_stream_test_selector_LDFLAGS = -Wl,--wrap=mono_ns
tests_unit_stream_test_silence_LDADD = $(unit_stream_libs)
tests_unit_stream_test_source_LDADD = $(unit_stream_libs)
tests_unit_stream_test_sink_LDADD = $(unit_stream_libs)
check_LIBRARIES += tests/unit/stream/librig.a
tests_unit_stream_librig_a_SOURCES = \
	tests/unit/stream/rig.c tests/unit/stream/rig.h \
	tests/unit/stream/rtp_rig.c tests/unit/stream/rtp_rig.h
unit_stream_rig = tests/unit/stream/librig.a $(worker_libs)
tests_unit_stream_test_output_socket_LDADD = $(unit_stream_rig)
tests_unit_stream_test_path_file_LDADD = $(unit_stream_rig)
tests_unit_stream_test_path_files_LDADD = $(unit_stream_rig)
tests_unit_stream_test_path_rtp_LDADD = $(unit_stream_rig)
tests_unit_stream_test_path_udp_LDADD = $(unit_stream_rig)
tests_unit_stream_test_rtp_input_LDADD = $(unit_stream_rig)
endif
