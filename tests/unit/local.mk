# SPDX-License-Identifier: GPL-3.0-or-later
# The tree again: a test beside the path of what it tests.
EXTRA_DIST += tests/unit/master/status/alarm_events.h \
	tests/unit/master/status/stream_event.h \
	tests/unit/worker/analysis/bench.h \
	tests/unit/log_lines.h \
	tests/unit/master/auth/gate_scene.h \
	tests/unit/master/config/finding_lines.h tests/unit/quoted.h tests/unit/rounds.h \
	tests/unit/worker/deliver/fragments_scene.h \
	tests/unit/master/viewers/viewers_rig.h \
	tests/unit/worker/deliver/hls_rig.h \
	tests/unit/worker/fragment/fmp4_scene.h \
	tests/unit/worker/output/cbr_stall_rig.h \
	tests/unit/worker/output/ring_hls_rig.h \
	tests/unit/worker/output/segmenter_source.h

if HAVE_CRITERION
# What several tests share, and no two name alike.
check_LIBRARIES += tests/unit/librig.a
tests_unit_librig_a_SOURCES = \
	tests/unit/proto/si/json_eq.c tests/unit/proto/si/json_eq.h \
	tests/unit/worker/failover/sim.c tests/unit/worker/failover/sim.h \
	tests/unit/worker/rtp/rtp_rig.c tests/unit/worker/rtp/rtp_rig.h \
	tests/unit/worker/splice/source.c tests/unit/worker/splice/source.h \
	tests/unit/worker/splice/stage.c tests/unit/worker/splice/stage.h \
	tests/unit/worker/stream/rig.c tests/unit/worker/stream/rig.h \
	tests/unit/worker/ts/build.c tests/unit/worker/ts/build.h \
	tests/unit/worker/ts/sample.c tests/unit/worker/ts/sample.h

unit_common_tests = \
	tests/unit/common/account/test_client_address \
	tests/unit/common/account/test_credential \
	tests/unit/common/account/test_lockout \
	tests/unit/common/account/test_origin \
	tests/unit/common/account/test_own_host \
	tests/unit/common/account/test_password_cache \
	tests/unit/common/account/test_secret \
	tests/unit/common/account/test_session \
	tests/unit/common/account/test_user \
	tests/unit/common/account/test_ws_token \
	tests/unit/common/base/test_address \
	tests/unit/common/base/test_errmsg \
	tests/unit/common/base/test_fd \
	tests/unit/common/base/test_file_list \
	tests/unit/common/base/test_hash \
	tests/unit/common/base/test_iface \
	tests/unit/common/base/test_ip_prefix \
	tests/unit/common/base/test_log \
	tests/unit/common/base/test_log_word \
	tests/unit/common/base/test_password \
	tests/unit/common/base/test_peers \
	tests/unit/common/base/test_playlist_limit \
	tests/unit/common/base/test_ring \
	tests/unit/common/base/test_ring_segment \
	tests/unit/common/base/test_ring_start \
	tests/unit/common/base/test_session_number \
	tests/unit/common/base/test_shared \
	tests/unit/common/base/test_sockaddr \
	tests/unit/common/base/test_sorted \
	tests/unit/common/base/test_typo \
	tests/unit/common/base/test_utf8 \
	tests/unit/common/document/test_crash_guard \
	tests/unit/common/document/test_document \
	tests/unit/common/document/test_fallback \
	tests/unit/common/document/test_file_state \
	tests/unit/common/document/test_reader \
	tests/unit/common/document/test_replace \
	tests/unit/common/document/test_revisions \
	tests/unit/common/document/test_save \
	tests/unit/common/document/test_save_join \
	tests/unit/common/http/test_server \
	tests/unit/common/http/test_server_clock \
	tests/unit/common/http/test_server_faults \
	tests/unit/common/http/test_server_listen \
	tests/unit/common/http/test_server_tls \
	tests/unit/common/log/test_log_file \
	tests/unit/common/log/test_log_lines \
	tests/unit/common/log/test_log_syslog \
	tests/unit/common/loop/test_helper \
	tests/unit/common/loop/test_timer \
	tests/unit/common/loop/test_turn_queue \
	tests/unit/common/supervise/test_backoff \
	tests/unit/common/supervise/test_fd_store \
	tests/unit/common/supervise/test_handover \
	tests/unit/common/supervise/test_heartbeat \
	tests/unit/common/supervise/test_proc_state \
	tests/unit/common/supervise/test_procfs \
	tests/unit/common/ws/test_hub \
	tests/unit/common/ws/test_hub_scopes \
	tests/unit/common/ws/test_ws_client
check_PROGRAMS += $(unit_common_tests)
TESTS += $(unit_common_tests)
tests_unit_worker_ca_test_ca_answers_SOURCES = \
	tests/unit/worker/ca/test_ca_answers.c tests/unit/worker/ca/ca_rig.c \
	tests/unit/worker/ca/ca_rig.h
tests_unit_worker_ca_test_ca_stage_SOURCES = \
	tests/unit/worker/ca/test_ca_stage.c tests/unit/worker/ca/ca_rig.c \
	tests/unit/worker/ca/ca_rig.h
tests_unit_worker_mux_test_absent_services_SOURCES = \
	tests/unit/worker/mux/test_absent_services.c \
	tests/unit/worker/mux/absent_rig.c tests/unit/worker/mux/absent_rig.h
tests_unit_worker_mux_test_mux_absent_SOURCES = \
	tests/unit/worker/mux/test_mux_absent.c \
	tests/unit/worker/mux/absent_rig.c tests/unit/worker/mux/absent_rig.h
tests_unit_worker_mux_test_mux_file_SOURCES = \
	tests/unit/worker/mux/test_mux_file.c \
	tests/unit/worker/mux/fill_rig.c tests/unit/worker/mux/fill_rig.h
tests_unit_worker_mux_test_mux_fill_SOURCES = \
	tests/unit/worker/mux/test_mux_fill.c \
	tests/unit/worker/mux/fill_rig.c tests/unit/worker/mux/fill_rig.h
tests_unit_worker_stream_test_mux_memory_SOURCES = \
	tests/unit/worker/stream/test_mux_memory.c \
	tests/unit/worker/mux/fill_rig.c tests/unit/worker/mux/fill_rig.h
tests_unit_worker_cas_test_ecmg_session_LDFLAGS = -Wl,--wrap=mono_ms
tests_unit_worker_cas_test_emmg_LDFLAGS = -Wl,--wrap=mono_ms
tests_unit_worker_csa_test_core_choice_LDFLAGS = -Wl,--wrap=csa_core_agrees
tests_unit_worker_softcam_test_cam_client_LDADD = $(LDADD) $(CRYPTO_LIBS)
tests_unit_worker_softcam_test_cam_session_LDADD = $(LDADD) $(CRYPTO_LIBS)
tests_unit_worker_softcam_test_newcamd_LDADD = $(LDADD) $(CRYPTO_LIBS)
tests_unit_common_account_test_client_address_LDADD = $(master_libs)
tests_unit_common_account_test_credential_LDADD = $(master_libs)
tests_unit_common_account_test_lockout_LDADD = $(master_libs)
tests_unit_common_account_test_origin_LDADD = $(master_libs)
tests_unit_common_account_test_own_host_LDADD = $(master_libs)
tests_unit_common_account_test_password_cache_LDADD = $(master_libs)
tests_unit_common_account_test_secret_LDADD = $(master_libs)
tests_unit_common_account_test_session_LDADD = $(master_libs)
tests_unit_common_account_test_user_LDADD = $(master_libs)
tests_unit_common_account_test_ws_token_LDADD = $(master_libs)
tests_unit_common_document_test_crash_guard_LDADD = $(master_libs)
tests_unit_common_document_test_fallback_LDADD = $(master_libs)
tests_unit_common_document_test_file_state_LDADD = $(master_libs)
tests_unit_common_document_test_document_LDADD = $(master_libs)
tests_unit_common_document_test_reader_LDADD = $(master_libs)
tests_unit_common_document_test_reader_LDFLAGS = \
	-Wl,--wrap=document_load_changed
tests_unit_common_document_test_replace_LDADD = $(master_libs)
tests_unit_common_document_test_revisions_LDADD = $(master_libs)
tests_unit_common_document_test_revisions_LDFLAGS = \
	-Wl,--wrap=thread_start,--wrap=fsync
tests_unit_common_document_test_save_LDADD = $(master_libs)
tests_unit_common_document_test_save_join_LDADD = $(master_libs)
tests_unit_common_http_test_server_SOURCES = \
	tests/unit/common/http/test_server.c \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h \
	tests/unit/common/http/site.c \
	tests/unit/common/http/site.h
tests_unit_common_http_test_server_LDADD = $(master_libs)
tests_unit_common_http_test_server_clock_SOURCES = \
	tests/unit/common/http/test_server_clock.c \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h \
	tests/unit/common/http/site.c \
	tests/unit/common/http/site.h
tests_unit_common_http_test_server_clock_LDADD = $(master_libs)
tests_unit_common_http_test_server_faults_SOURCES = \
	tests/unit/common/http/test_server_faults.c \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h \
	tests/unit/common/http/site.c \
	tests/unit/common/http/site.h
tests_unit_common_http_test_server_faults_LDADD = $(master_libs)
tests_unit_common_http_test_server_listen_SOURCES = \
	tests/unit/common/http/test_server_listen.c \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h \
	tests/unit/common/http/site.c \
	tests/unit/common/http/site.h
tests_unit_common_http_test_server_listen_LDADD = $(master_libs)
tests_unit_common_http_test_server_listen_LDFLAGS = -Wl,--wrap=shutdown
tests_unit_common_http_test_server_tls_SOURCES = \
	tests/unit/common/http/test_server_tls.c \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h \
	tests/unit/common/http/site.c \
	tests/unit/common/http/site.h
tests_unit_common_http_test_server_tls_LDADD = $(master_libs)
tests_unit_common_log_test_log_file_LDADD = $(master_libs)
tests_unit_common_log_test_log_lines_LDADD = $(master_libs)
tests_unit_common_log_test_log_syslog_LDADD = $(master_libs)
tests_unit_common_loop_test_helper_LDADD = $(master_libs)
tests_unit_common_loop_test_helper_LDFLAGS = -Wl,--wrap=thread_start
tests_unit_common_supervise_test_backoff_LDADD = $(master_libs)
tests_unit_common_supervise_test_fd_store_LDADD = $(master_libs)
tests_unit_common_supervise_test_handover_LDADD = $(master_libs)
tests_unit_common_supervise_test_heartbeat_LDADD = $(master_libs)
tests_unit_common_supervise_test_proc_state_LDADD = $(master_libs)
tests_unit_common_supervise_test_procfs_LDADD = $(master_libs)
tests_unit_common_ws_test_hub_SOURCES = \
	tests/unit/common/ws/test_hub.c tests/unit/common/ws/hub_site.h \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h
tests_unit_common_ws_test_hub_scopes_SOURCES = \
	tests/unit/common/ws/test_hub_scopes.c \
	tests/unit/common/ws/hub_site.h \
	tests/unit/common/http/client.c \
	tests/unit/common/http/client.h
tests_unit_common_ws_test_hub_scopes_LDADD = $(master_libs)
tests_unit_common_ws_test_hub_LDADD = $(master_libs)
tests_unit_common_ws_test_ws_client_LDADD = $(master_libs)

unit_proto_tests = \
	tests/unit/proto/ipc/test_channel \
	tests/unit/proto/ipc/test_channel_batch \
	tests/unit/proto/ipc/test_credit \
	tests/unit/proto/ipc/test_msg \
	tests/unit/proto/si/test_cue_command \
	tests/unit/proto/si/test_descriptors \
	tests/unit/proto/si/test_record \
	tests/unit/proto/si/test_text_decode \
	tests/unit/proto/si/test_text_dictionary \
	tests/unit/proto/si/test_text_encode \
	tests/unit/proto/si/test_vct \
	tests/unit/proto/spec/test_address_open \
	tests/unit/proto/spec/test_biss \
	tests/unit/proto/spec/test_cas_spec \
	tests/unit/proto/spec/test_documented \
	tests/unit/proto/spec/test_epg_source \
	tests/unit/proto/spec/test_field \
	tests/unit/proto/spec/test_field_idle \
	tests/unit/proto/spec/test_io_foreign \
	tests/unit/proto/spec/test_io_link \
	tests/unit/proto/spec/test_io_rtp \
	tests/unit/proto/spec/test_io_spec \
	tests/unit/proto/spec/test_remux_options \
	tests/unit/proto/spec/test_report_shape \
	tests/unit/proto/spec/test_satip_spec \
	tests/unit/proto/spec/test_scan_spec \
	tests/unit/proto/spec/test_si_section \
	tests/unit/proto/spec/test_desc_edit \
	tests/unit/proto/spec/test_stream_spec \
	tests/unit/proto/spec/test_t2mi_spec \
	tests/unit/proto/spec/test_tuner_spec \
	tests/unit/proto/wire/test_http_range \
	tests/unit/proto/wire/test_http_request \
	tests/unit/proto/wire/test_http_target \
	tests/unit/proto/wire/test_http_vectors \
	tests/unit/proto/wire/test_http_wipe \
	tests/unit/proto/wire/test_json_reader \
	tests/unit/proto/wire/test_metrics_text \
	tests/unit/proto/wire/test_ws_frame
check_PROGRAMS += $(unit_proto_tests)
TESTS += $(unit_proto_tests)

unit_worker_tests = \
	tests/unit/worker/adapter/ci/test_ca_list \
	tests/unit/worker/adapter/ci/test_ca_pmt \
	tests/unit/worker/adapter/ci/test_ci_device \
	tests/unit/worker/adapter/ci/test_ci_link \
	tests/unit/worker/adapter/ci/test_ci_mmi \
	tests/unit/worker/adapter/ci/test_ci_module \
	tests/unit/worker/adapter/ci/test_ci_session \
	tests/unit/worker/adapter/dvb/test_dvb_device \
	tests/unit/worker/adapter/dvb/test_dvb_props \
	tests/unit/worker/adapter/dvb/test_dvb_sec \
	tests/unit/worker/adapter/dvb/test_dvb_signal \
	tests/unit/worker/adapter/dvb/test_dvb_tuner \
	tests/unit/worker/adapter/dvb/test_hotplug \
	tests/unit/worker/adapter/dvb/test_tuner_watch \
	tests/unit/worker/core/test_hidden \
	tests/unit/worker/adapter/test_adapter_grants \
	tests/unit/worker/adapter/test_cam_source \
	tests/unit/worker/adapter/test_program_pids \
	tests/unit/worker/adapter/test_satip_rtp \
	tests/unit/worker/adapter/test_satip_source \
	tests/unit/worker/adapter/test_slot_source \
	tests/unit/worker/adapter/test_t2mi_source \
	tests/unit/worker/adapter/test_tuner_source \
	tests/unit/worker/adapter/test_wanted_pids \
	tests/unit/worker/adapter/satip/test_rtsp \
	tests/unit/worker/adapter/satip/test_satip_misbehaviours \
	tests/unit/worker/adapter/satip/test_satip_pids \
	tests/unit/worker/adapter/satip/test_satip_session \
	tests/unit/worker/adapter/satip/test_satip_session_pids \
	tests/unit/worker/adapter/satip/test_ses1 \
	tests/unit/worker/analysis/test_monitor \
	tests/unit/worker/analysis/test_pcr_check \
	tests/unit/worker/analysis/test_report \
	tests/unit/worker/analysis/test_si_watch \
	tests/unit/worker/analysis/test_monitor_atsc \
	tests/unit/worker/analysis/test_monitor_names \
	tests/unit/worker/analysis/test_monitor_program \
	tests/unit/worker/analysis/test_monitor_si \
	tests/unit/worker/analysis/test_monitor_silence \
	tests/unit/worker/analysis/test_tstd \
	tests/unit/worker/analysis/test_tstd_judge \
	tests/unit/worker/ca/test_ca_answers \
	tests/unit/worker/ca/test_ca_card \
	tests/unit/worker/ca/test_ca_stage \
	tests/unit/worker/ca/test_delay \
	tests/unit/worker/cas/test_ecmg_session \
	tests/unit/worker/cas/test_emm_packer \
	tests/unit/worker/cas/test_emmg \
	tests/unit/worker/cas/test_simulcrypt \
	tests/unit/worker/csa/test_core_choice \
	tests/unit/worker/csa/test_crypto_periods \
	tests/unit/worker/csa/test_csa \
	tests/unit/worker/csa/test_descrambler \
	tests/unit/worker/csa/test_scrambler \
	tests/unit/worker/deliver/test_deliver_door \
	tests/unit/worker/deliver/test_deliver_feed \
	tests/unit/worker/deliver/test_deliver_hls \
	tests/unit/worker/deliver/test_hls_wait \
	tests/unit/worker/deliver/test_deliver_late \
	tests/unit/worker/deliver/test_demand_wait \
	tests/unit/worker/deliver/test_deliver_http \
	tests/unit/worker/deliver/test_deliver_slow \
	tests/unit/worker/deliver/test_deliver_tls \
	tests/unit/worker/deliver/test_fragment_maker \
	tests/unit/worker/deliver/test_fragments \
	tests/unit/worker/deliver/test_hls_index \
	tests/unit/worker/deliver/test_hls_playlist \
	tests/unit/worker/deliver/test_hls_reload \
	tests/unit/worker/deliver/test_hls_resume \
	tests/unit/worker/deliver/test_scheme_location \
	tests/unit/worker/deliver/test_hls_sessions \
	tests/unit/worker/deliver/test_lag \
	tests/unit/worker/deliver/test_portion \
	tests/unit/worker/deliver/test_pictures \
	tests/unit/worker/deliver/test_mount_change \
	tests/unit/worker/deliver/test_mount_table \
	tests/unit/worker/deliver/test_page_pipe \
	tests/unit/worker/deliver/test_stream_lists \
	tests/unit/worker/deliver/test_viewer_conn \
	tests/unit/worker/deliver/test_viewer_session \
	tests/unit/worker/failover/test_damper \
	tests/unit/worker/failover/test_failover \
	tests/unit/worker/failover/test_failover_holds \
	tests/unit/worker/failover/test_failover_sights \
	tests/unit/worker/failover/test_loss_window \
	tests/unit/worker/failover/test_short_holes \
	tests/unit/worker/failover/test_silence \
	tests/unit/worker/filler/test_filler \
	tests/unit/worker/filler/test_filler_split \
	tests/unit/worker/filler/test_play \
	tests/unit/worker/filler/test_silent \
	tests/unit/worker/adapter/test_address_source \
	tests/unit/worker/input/test_file_clock \
	tests/unit/worker/input/test_file_errors \
	tests/unit/worker/input/test_file_input \
	tests/unit/worker/input/test_file_reader \
	tests/unit/worker/input/test_iat_in \
	tests/unit/worker/input/test_input_keeper \
	tests/unit/worker/input/test_lap \
	tests/unit/worker/input/test_lap_tail \
	tests/unit/worker/input/test_merge_input \
	tests/unit/worker/input/test_packet_ring \
	tests/unit/worker/input/test_program_filter \
	tests/unit/worker/input/test_stream_input \
	tests/unit/worker/input/test_redundant_paths \
	tests/unit/worker/input/test_playout \
	tests/unit/worker/input/test_receiver \
	tests/unit/worker/input/test_rtp_input \
	tests/unit/worker/rtp/test_rtp_places \
	tests/unit/worker/merge/test_merge_model \
	tests/unit/worker/merge/test_merge_damage \
	tests/unit/worker/merge/test_merge_order \
	tests/unit/worker/merge/test_ts_likeness \
	tests/unit/worker/merge/test_ts_merge \
	tests/unit/worker/merge/test_ts_queue \
	tests/unit/worker/net/curl/test_fetch \
	tests/unit/worker/net/curl/test_reach \
	tests/unit/worker/net/curl/test_transfer_error \
	tests/unit/worker/net/hls/test_cc_join \
	tests/unit/worker/net/hls/test_hls_list \
	tests/unit/worker/net/hls/test_hls_mux \
	tests/unit/worker/net/hls/test_hls_mux_pmt \
	tests/unit/worker/net/hls/test_m3u8 \
	tests/unit/worker/net/hls/test_packed_audio \
	tests/unit/worker/net/hls/test_pcr_rebuild \
	tests/unit/worker/net/hls/test_segment_play \
	tests/unit/worker/net/hls/test_segment_window \
	tests/unit/worker/net/librist/test_rist_filter \
	tests/unit/worker/net/librist/test_rist_guard \
	tests/unit/worker/net/librist/test_rist_place \
	tests/unit/worker/net/librist/test_rist_sources \
	tests/unit/worker/net/librist/test_rist_threads \
	tests/unit/worker/net/rist/test_rist_events \
	tests/unit/worker/net/rist/test_rist_gaps \
	tests/unit/worker/net/rist/test_rist_peers \
	tests/unit/worker/net/srt/test_srt_calls \
	tests/unit/worker/net/srt/test_srt_refusals \
	tests/unit/worker/net/srt/test_srt_socket \
	tests/unit/worker/net/srt/test_srt_streamid \
	tests/unit/worker/net/test_cxx_memory \
	tests/unit/worker/net/test_refusal_log \
	tests/unit/worker/mux/test_delay_line \
	tests/unit/worker/mux/test_eit_share \
	tests/unit/worker/mux/test_mux \
	tests/unit/worker/mux/test_absent_services \
	tests/unit/worker/mux/test_mux_absent \
	tests/unit/worker/mux/test_mux_clock \
	tests/unit/worker/mux/test_mux_file \
	tests/unit/worker/mux/test_mux_fill \
	tests/unit/worker/mux/test_mux_gates \
	tests/unit/worker/mux/test_mux_order \
	tests/unit/worker/mux/test_mux_plan \
	tests/unit/worker/mux/test_mux_pmts \
	tests/unit/worker/mux/test_mux_rate \
	tests/unit/worker/mux/test_mux_sdt \
	tests/unit/worker/mux/test_mux_switch \
	tests/unit/worker/mux/test_spread \
	tests/unit/worker/output/test_admission \
	tests/unit/worker/output/test_announcement \
	tests/unit/worker/output/test_cbr \
	tests/unit/worker/output/test_cbr_content \
	tests/unit/worker/output/test_cbr_frequency \
	tests/unit/worker/output/test_cbr_stall \
	tests/unit/worker/output/test_cbr_late \
	tests/unit/worker/output/test_cbr_programs \
	tests/unit/worker/output/test_cbr_restart \
	tests/unit/worker/output/test_cc_rewrite \
	tests/unit/worker/output/test_departure_plan \
	tests/unit/worker/output/test_file_name \
	tests/unit/worker/output/test_file_store \
	tests/unit/worker/output/test_iat_out \
	tests/unit/worker/output/test_join_point \
	tests/unit/worker/output/test_long_group \
	tests/unit/worker/output/test_pacer \
	tests/unit/worker/output/test_part_cut \
	tests/unit/worker/output/test_ring_death \
	tests/unit/worker/output/test_ring_hls \
	tests/unit/worker/output/test_ring_out \
	tests/unit/worker/output/test_ring_refresh \
	tests/unit/worker/output/test_ring_resume \
	tests/unit/worker/output/test_ring_split \
	tests/unit/worker/output/test_segmenter \
	tests/unit/worker/output/test_segmenter_target \
	tests/unit/worker/output/test_sender \
	tests/unit/worker/output/test_udp_output \
	tests/unit/worker/output/test_unit_time \
	tests/unit/worker/tables/test_eit_build \
	tests/unit/worker/tables/test_eit_image \
	tests/unit/worker/epg/test_epg_stream \
	tests/unit/worker/epg/test_guide \
	tests/unit/worker/epg/test_guide_commit \
	tests/unit/worker/epg/test_guide_file \
	tests/unit/worker/epg/test_guide_ids \
	tests/unit/worker/epg/test_guide_other \
	tests/unit/worker/epg/test_guide_present \
	tests/unit/worker/epg/test_guide_shown \
	tests/unit/worker/epg/test_guide_streams \
	tests/unit/worker/epg/test_guide_import \
	tests/unit/worker/epg/test_guide_xmltv \
	tests/unit/worker/querier/test_querier_table \
	tests/unit/worker/querier/test_query \
	tests/unit/worker/remux/test_desc_apply \
	tests/unit/worker/remux/test_psi_build \
	tests/unit/worker/remux/test_remux \
	tests/unit/worker/remux/test_remux_data \
	tests/unit/worker/remux/test_remux_free_ca \
	tests/unit/worker/remux/test_remux_onid \
	tests/unit/worker/remux/test_remux_psip \
	tests/unit/worker/remux/test_remux_full \
	tests/unit/worker/remux/test_remux_names \
	tests/unit/worker/remux/test_remux_parts \
	tests/unit/worker/remux/test_remux_tables \
	tests/unit/worker/remux/test_section_writer \
	tests/unit/worker/remux/test_service_desc \
	tests/unit/worker/remux/test_si_build \
	tests/unit/worker/remux/test_si_versions \
	tests/unit/worker/remux/test_table_versions \
	tests/unit/worker/remux/test_version_stage \
	tests/unit/worker/tables/test_nit_build \
	tests/unit/worker/tables/test_section_schedule \
	tests/unit/worker/tables/test_table_stage \
	tests/unit/worker/tables/test_zone \
	tests/unit/worker/rtp/test_datagrams \
	tests/unit/worker/rtp/test_fec \
	tests/unit/worker/rtp/test_rtp_clock \
	tests/unit/worker/rtp/test_rtp_damage \
	tests/unit/worker/rtp/test_rtp_outage \
	tests/unit/worker/rtp/test_rtp_packet \
	tests/unit/worker/rtp/test_rtp_window \
	tests/unit/worker/si/test_collect \
	tests/unit/worker/scan/test_adapter_task \
	tests/unit/worker/scan/test_iface_list \
	tests/unit/worker/scan/test_scan_services \
	tests/unit/worker/scan/test_server_description \
	tests/unit/worker/scan/test_server_table \
	tests/unit/worker/scan/test_session_table \
	tests/unit/worker/scan/test_ssdp_message \
	tests/unit/worker/scan/test_tuning_list \
	tests/unit/worker/sdp/test_offer \
	tests/unit/worker/sdp/test_sap_packet \
	tests/unit/worker/sdp/test_sdp \
	tests/unit/worker/si/test_eit \
	tests/unit/worker/si/test_plp_list \
	tests/unit/worker/si/test_record_feed \
	tests/unit/worker/si/test_samples \
	tests/unit/worker/softcam/test_cam_client \
	tests/unit/worker/softcam/test_cam_session \
	tests/unit/worker/softcam/test_dial \
	tests/unit/worker/softcam/test_ecm_table \
	tests/unit/worker/softcam/test_newcamd \
	tests/unit/worker/socket/test_send_socket \
	tests/unit/worker/splice/test_cue \
	tests/unit/worker/splice/test_switch_point \
	tests/unit/worker/splice/test_foreign \
	tests/unit/worker/splice/test_frame_count \
	tests/unit/worker/splice/test_many_splits \
	tests/unit/worker/splice/test_jump_sweep \
	tests/unit/worker/splice/test_jump_units \
	tests/unit/worker/splice/test_many_clocks \
	tests/unit/worker/splice/test_moved_pids \
	tests/unit/worker/splice/test_one_offset \
	tests/unit/worker/splice/test_property \
	tests/unit/worker/splice/test_splice \
	tests/unit/worker/splice/test_split \
	tests/unit/worker/splice/test_stamps \
	tests/unit/worker/splice/test_continuity \
	tests/unit/worker/stream/test_ca_inserter \
	tests/unit/worker/stream/test_candidate \
	tests/unit/worker/stream/test_cue_memory \
	tests/unit/worker/stream/test_cue_watch \
	tests/unit/worker/stream/test_other_guides \
	tests/unit/worker/stream/test_own_eit \
	tests/unit/worker/stream/test_own_cue \
	tests/unit/worker/stream/test_own_network \
	tests/unit/worker/stream/test_own_others \
	tests/unit/worker/stream/test_own_sections \
	tests/unit/worker/stream/test_own_tables \
	tests/unit/worker/stream/test_cas_changes \
	tests/unit/worker/stream/test_cas_stage \
	tests/unit/worker/stream/test_flapping \
	tests/unit/worker/stream/test_input_chain \
	tests/unit/worker/stream/test_memory \
	tests/unit/worker/stream/test_monitor_log \
	tests/unit/worker/stream/test_mux_input \
	tests/unit/worker/stream/test_mux_memory \
	tests/unit/worker/stream/test_mux_stage \
	tests/unit/worker/stream/test_netif_news \
	tests/unit/worker/stream/test_pipeline_feed \
	tests/unit/worker/stream/test_pipeline_file \
	tests/unit/worker/stream/test_pipeline_files \
	tests/unit/worker/stream/test_pipeline_rtp \
	tests/unit/worker/stream/test_pipeline_stop \
	tests/unit/worker/stream/test_pipeline_udp \
	tests/unit/worker/stream/test_reentry \
	tests/unit/worker/stream/test_selector \
	tests/unit/worker/stream/test_sink \
	tests/unit/worker/stream/test_tap \
	tests/unit/worker/stream/test_ticker \
	tests/unit/worker/t2mi/test_t2mi \
	tests/unit/worker/tls/test_ticket_keys \
	tests/unit/worker/tls/test_tls_server \
	tests/unit/worker/ts/test_analyze \
	tests/unit/worker/ts/test_audio \
	tests/unit/worker/ts/test_cc \
	tests/unit/worker/ts/test_packet \
	tests/unit/worker/ts/test_pat \
	tests/unit/worker/ts/test_pcr \
	tests/unit/worker/picture/test_picture_units \
	tests/unit/worker/ts/test_pes \
	tests/unit/worker/ts/test_pes_head \
	tests/unit/worker/ts/test_pmt \
	tests/unit/worker/ts/test_psi \
	tests/unit/worker/ts/test_psi_lead \
	tests/unit/worker/ts/test_psi_long \
	tests/unit/worker/ts/test_rap \
	tests/unit/worker/ts/test_samples \
	tests/unit/worker/fragment/test_fmp4 \
	tests/unit/worker/fragment/test_fmp4_split \
	tests/unit/worker/fragment/test_fmp4_state \
	tests/unit/worker/ts/test_section \
	tests/unit/worker/ts/test_sync \
	tests/unit/worker/ts/test_t_std
check_PROGRAMS += $(unit_worker_tests)
TESTS += $(unit_worker_tests)
tests_unit_worker_deliver_test_deliver_door_SOURCES = \
	tests/unit/worker/deliver/test_deliver_door.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_deliver_feed_SOURCES = \
	tests/unit/worker/deliver/test_deliver_feed.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_deliver_hls_SOURCES = \
	tests/unit/worker/deliver/test_deliver_hls.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_hls_wait_SOURCES = \
	tests/unit/worker/deliver/test_hls_wait.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_hls_index_SOURCES = \
	tests/unit/worker/deliver/test_hls_index.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_mount_change_SOURCES = \
	tests/unit/worker/deliver/test_mount_change.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_stream_lists_SOURCES = \
	tests/unit/worker/deliver/test_stream_lists.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_picture_test_picture_units_SOURCES = \
	tests/unit/worker/picture/test_picture_units.c \
	worker/picture/picture_units.c
tests_unit_worker_deliver_test_demand_wait_SOURCES = \
	tests/unit/worker/deliver/test_demand_wait.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_deliver_late_SOURCES = \
	tests/unit/worker/deliver/test_deliver_late.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_deliver_http_SOURCES = \
	tests/unit/worker/deliver/test_deliver_http.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_page_pipe_SOURCES = \
	tests/unit/worker/deliver/test_page_pipe.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_viewer_conn_SOURCES = \
	tests/unit/worker/deliver/test_viewer_conn.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_deliver_slow_SOURCES = \
	tests/unit/worker/deliver/test_deliver_slow.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_deliver_test_deliver_tls_SOURCES = \
	tests/unit/worker/deliver/test_deliver_tls.c \
	tests/unit/worker/deliver/rig.c \
	tests/unit/worker/deliver/rig.h
tests_unit_worker_adapter_satip_test_satip_misbehaviours_SOURCES = \
	tests/unit/worker/adapter/satip/test_satip_misbehaviours.c \
	tests/unit/worker/adapter/satip/rig.c \
	tests/unit/worker/adapter/satip/rig.h
tests_unit_worker_adapter_satip_test_satip_session_SOURCES = \
	tests/unit/worker/adapter/satip/test_satip_session.c \
	tests/unit/worker/adapter/satip/rig.c \
	tests/unit/worker/adapter/satip/rig.h
tests_unit_worker_adapter_satip_test_satip_session_pids_SOURCES = \
	tests/unit/worker/adapter/satip/test_satip_session_pids.c \
	tests/unit/worker/adapter/satip/rig.c \
	tests/unit/worker/adapter/satip/rig.h
tests_unit_worker_adapter_test_satip_rtp_SOURCES = \
	tests/unit/worker/adapter/test_satip_rtp.c \
	tests/unit/worker/adapter/satip_rig.c \
	tests/unit/worker/adapter/satip_rig.h
tests_unit_worker_adapter_test_satip_source_SOURCES = \
	tests/unit/worker/adapter/test_satip_source.c \
	tests/unit/worker/adapter/satip_rig.c \
	tests/unit/worker/adapter/satip_rig.h
tests_unit_worker_adapter_test_cam_source_LDFLAGS = -Wl,--wrap=mono_ns
tests_unit_worker_adapter_test_cam_source_SOURCES = \
	tests/unit/worker/adapter/test_cam_source.c \
	tests/unit/worker/adapter/ci/fake_cam.c \
	tests/unit/worker/adapter/ci/fake_cam.h \
	tests/unit/worker/adapter/ci/fake_card.c \
	tests/unit/worker/adapter/ci/fake_card.h
tests_unit_worker_adapter_ci_test_ca_list_SOURCES = \
	tests/unit/worker/adapter/ci/test_ca_list.c \
	tests/unit/worker/adapter/ci/programs.h
tests_unit_worker_adapter_ci_test_ci_device_SOURCES = \
	tests/unit/worker/adapter/ci/test_ci_device.c \
	tests/unit/worker/adapter/ci/fake_cam.c \
	tests/unit/worker/adapter/ci/fake_cam.h \
	tests/unit/worker/adapter/ci/fake_card.c \
	tests/unit/worker/adapter/ci/fake_card.h \
	tests/unit/worker/adapter/ci/programs.h
tests_unit_worker_adapter_ci_test_ci_device_LDFLAGS = -Wl,--wrap=mono_ns
tests_unit_worker_adapter_ci_test_ci_module_SOURCES = \
	tests/unit/worker/adapter/ci/test_ci_module.c \
	tests/unit/worker/adapter/ci/fake_cam.c \
	tests/unit/worker/adapter/ci/fake_cam.h \
	tests/unit/worker/adapter/ci/programs.h
tests_unit_worker_adapter_dvb_test_dvb_device_SOURCES = \
	tests/unit/worker/adapter/dvb/test_dvb_device.c \
	tests/unit/worker/adapter/dvb/fake_dvb.c \
	tests/unit/worker/adapter/dvb/fake_dvb.h
tests_unit_worker_adapter_dvb_test_dvb_tuner_SOURCES = \
	tests/unit/worker/adapter/dvb/test_dvb_tuner.c \
	tests/unit/worker/adapter/dvb/fake_dvb.c \
	tests/unit/worker/adapter/dvb/fake_dvb.h
tests_unit_worker_adapter_dvb_test_dvb_device_LDFLAGS = -Wl,--wrap=mono_ns
tests_unit_worker_adapter_dvb_test_dvb_tuner_LDFLAGS = -Wl,--wrap=mono_ns
tests_unit_worker_adapter_test_tuner_source_SOURCES = \
	tests/unit/worker/adapter/test_tuner_source.c \
	tests/unit/worker/adapter/dvb/fake_dvb.c \
	tests/unit/worker/adapter/dvb/fake_dvb.h
tests_unit_worker_adapter_test_tuner_source_LDFLAGS = -Wl,--wrap=mono_ns \
	-Wl,--wrap=hidden_by_sandbox,--wrap=hidden_when_refused
tests_unit_worker_adapter_test_t2mi_source_SOURCES = \
	tests/unit/worker/adapter/test_t2mi_source.c \
	tests/unit/worker/t2mi/t2mi_maker.c \
	tests/unit/worker/t2mi/t2mi_maker.h
tests_unit_worker_input_test_file_input_LDFLAGS = -Wl,--wrap=pread
tests_unit_worker_input_test_stream_input_LDFLAGS = \
	-Wl,--wrap=program_filter_feed,--wrap=program_filter_marks \
	-Wl,--wrap=ring_reader_map,--wrap=ring_reader_at
tests_unit_worker_input_test_file_reader_LDFLAGS = -Wl,--wrap=pread
tests_unit_worker_stream_test_pipeline_stop_LDFLAGS = -Wl,--wrap=output_send
tests_unit_worker_scan_test_adapter_task_SOURCES = \
	tests/unit/worker/scan/test_adapter_task.c \
	tests/unit/worker/t2mi/t2mi_maker.c \
	tests/unit/worker/t2mi/t2mi_maker.h
tests_unit_worker_si_test_plp_list_SOURCES = \
	tests/unit/worker/si/test_plp_list.c \
	tests/unit/worker/t2mi/t2mi_maker.c \
	tests/unit/worker/t2mi/t2mi_maker.h
tests_unit_worker_t2mi_test_t2mi_SOURCES = \
	tests/unit/worker/t2mi/t2mi_maker.c \
	tests/unit/worker/t2mi/t2mi_maker.h \
	tests/unit/worker/t2mi/test_t2mi.c

tests_unit_worker_merge_test_merge_damage_SOURCES = \
	tests/unit/worker/merge/merge_rig.c \
	tests/unit/worker/merge/merge_rig.h \
	tests/unit/worker/merge/test_merge_damage.c
tests_unit_worker_merge_test_merge_model_SOURCES = \
	tests/unit/worker/merge/merge_sim.c \
	tests/unit/worker/merge/merge_sim.h \
	tests/unit/worker/merge/test_merge_model.c
tests_unit_worker_merge_test_merge_order_SOURCES = \
	tests/unit/worker/merge/merge_count.c \
	tests/unit/worker/merge/merge_count.h \
	tests/unit/worker/merge/merge_sim.c \
	tests/unit/worker/merge/merge_sim.h \
	tests/unit/worker/merge/test_merge_order.c
tests_unit_worker_merge_test_ts_likeness_SOURCES = \
	tests/unit/worker/merge/merge_rig.c \
	tests/unit/worker/merge/merge_rig.h \
	tests/unit/worker/merge/test_ts_likeness.c
tests_unit_worker_scan_test_server_description_SOURCES = \
	tests/unit/worker/scan/test_server_description.c \
	worker/scan/server_description.c
tests_unit_worker_scan_test_server_description_LDADD = $(test_libs) \
	$(EXPAT_LIBS)
tests_unit_worker_epg_test_guide_import_SOURCES = \
	tests/unit/worker/epg/test_guide_import.c \
	worker/epg/import_feed.c \
	worker/epg/xmltv_read.c
tests_unit_worker_epg_test_guide_import_LDADD = $(test_libs) $(EXPAT_LIBS)
tests_unit_worker_merge_test_ts_merge_SOURCES = \
	tests/unit/worker/merge/merge_rig.c \
	tests/unit/worker/merge/merge_rig.h \
	tests/unit/worker/merge/test_ts_merge.c
tests_unit_worker_net_curl_test_fetch_SOURCES = \
	tests/unit/worker/net/curl/test_fetch.c \
	worker/net/curl/fetch.c \
	worker/net/curl/http_headers.c worker/net/curl/names.c \
	worker/net/curl/reach.c \
	worker/net/curl/transfer_error.c \
	worker/net/curl/url.c
tests_unit_worker_net_curl_test_fetch_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS)
tests_unit_worker_net_curl_test_fetch_LDADD = $(test_libs) $(CURL_LIBS)
tests_unit_worker_net_curl_test_transfer_error_SOURCES = \
	tests/unit/worker/net/curl/test_transfer_error.c \
	worker/net/curl/transfer_error.c
tests_unit_worker_net_curl_test_transfer_error_CFLAGS = \
	$(AM_CFLAGS) $(CURL_CFLAGS)
tests_unit_worker_net_curl_test_transfer_error_LDADD = \
	$(test_libs) $(CURL_LIBS)
tests_unit_worker_net_curl_test_reach_SOURCES = \
	tests/unit/worker/net/curl/test_reach.c \
	worker/net/curl/reach.c
tests_unit_worker_net_hls_test_hls_list_SOURCES = \
	tests/unit/worker/net/hls/test_hls_list.c \
	worker/net/hls/hls_list.c \
	worker/net/curl/url.c
tests_unit_worker_net_hls_test_hls_list_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS)
tests_unit_worker_net_hls_test_hls_list_LDADD = $(test_libs) $(CURL_LIBS)
tests_unit_worker_net_librist_test_rist_filter_SOURCES = \
	tests/unit/worker/net/librist/test_rist_filter.c \
	worker/net/librist/rist_filter.c
tests_unit_worker_net_librist_test_rist_guard_SOURCES = \
	tests/unit/worker/net/librist/test_rist_guard.c \
	worker/net/librist/rist_filter.c \
	worker/net/librist/rist_guard.c \
	worker/net/librist/rist_sources.c
tests_unit_worker_net_librist_test_rist_guard_CFLAGS = \
	$(AM_CFLAGS) \
	$(RIST_CFLAGS)
tests_unit_worker_net_librist_test_rist_place_SOURCES = \
	tests/unit/worker/net/librist/test_rist_place.c \
	worker/net/librist/rist_place.c
tests_unit_worker_net_librist_test_rist_sources_SOURCES = \
	tests/unit/worker/net/librist/test_rist_sources.c \
	worker/net/librist/rist_sources.c
tests_unit_worker_net_librist_test_rist_sources_CFLAGS = \
	$(AM_CFLAGS) \
	$(RIST_CFLAGS)
tests_unit_worker_net_librist_test_rist_threads_SOURCES = \
	tests/unit/worker/net/librist/test_rist_threads.c \
	worker/net/librist/rist_threads.c
tests_unit_worker_net_librist_test_rist_threads_CFLAGS = \
	$(AM_CFLAGS) \
	$(RIST_CFLAGS)
tests_unit_worker_net_librist_test_rist_threads_LDADD = $(test_libs) $(RIST_LIBS)
tests_unit_worker_net_rist_test_rist_events_SOURCES = \
	tests/unit/worker/net/rist/test_rist_events.c \
	worker/net/rist/rist_events.c \
	worker/net/rist/rist_peers.c
tests_unit_worker_net_rist_test_rist_events_CFLAGS = \
	$(AM_CFLAGS) \
	$(RIST_CFLAGS)
tests_unit_worker_net_rist_test_rist_events_LDADD = $(test_libs) $(RIST_LIBS)
tests_unit_worker_net_rist_test_rist_gaps_SOURCES = \
	tests/unit/worker/net/rist/test_rist_gaps.c \
	worker/net/rist/rist_gaps.c
tests_unit_worker_net_rist_test_rist_peers_SOURCES = \
	tests/unit/worker/net/rist/test_rist_peers.c \
	worker/net/rist/rist_peers.c
tests_unit_worker_net_rist_test_rist_peers_CFLAGS = \
	$(AM_CFLAGS) \
	$(RIST_CFLAGS)
tests_unit_worker_net_test_cxx_memory_SOURCES = \
	tests/unit/worker/net/test_cxx_memory.c \
	worker/net/cxx_memory.c
tests_unit_worker_net_srt_test_srt_calls_SOURCES = \
	tests/unit/worker/net/srt/test_srt_calls.c \
	worker/net/srt/srt_calls.c
tests_unit_worker_net_srt_test_srt_calls_CFLAGS = $(AM_CFLAGS) $(SRT_CFLAGS)
tests_unit_worker_net_srt_test_srt_refusals_SOURCES = \
	tests/unit/worker/net/srt/test_srt_refusals.c \
	worker/net/curl/resolver.c \
	worker/net/refusal_log.c \
	worker/net/srt/srt_calls.c \
	worker/net/srt/srt_peer.c \
	worker/net/srt/srt_place.c \
	worker/net/srt/srt_receivers.c \
	worker/net/srt/srt_socket.c \
	worker/net/srt/srt_stats.c \
	worker/net/srt/srt_streamid.c
tests_unit_worker_net_srt_test_srt_refusals_CFLAGS = $(AM_CFLAGS) $(SRT_CFLAGS)
tests_unit_worker_net_srt_test_srt_refusals_LDADD = $(test_libs) $(SRT_LIBS) \
	$(CARES_LIBS)
tests_unit_worker_net_srt_test_srt_streamid_SOURCES = \
	tests/unit/worker/net/srt/test_srt_streamid.c \
	worker/net/srt/srt_streamid.c
tests_unit_worker_net_srt_test_srt_socket_SOURCES = \
	tests/unit/worker/net/srt/test_srt_socket.c \
	worker/net/refusal_log.c \
	worker/net/srt/srt_calls.c \
	worker/net/srt/srt_streamid.c \
	worker/net/srt/srt_place.c \
	worker/net/srt/srt_socket.c
tests_unit_worker_net_srt_test_srt_socket_CFLAGS = $(AM_CFLAGS) $(SRT_CFLAGS)
tests_unit_worker_net_srt_test_srt_socket_LDADD = $(test_libs) $(SRT_LIBS)
tests_unit_worker_net_test_refusal_log_SOURCES = \
	tests/unit/worker/net/test_refusal_log.c \
	worker/net/refusal_log.c
tests_unit_worker_output_test_file_store_LDFLAGS = \
	-Wl,--wrap=time,--wrap=flock,--wrap=fstatvfs
tests_unit_worker_remux_test_remux_SOURCES = \
	tests/unit/worker/remux/test_remux.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_data_SOURCES = \
	tests/unit/worker/remux/test_remux_data.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_free_ca_SOURCES = \
	tests/unit/worker/remux/test_remux_free_ca.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_psip_SOURCES = \
	tests/unit/worker/remux/test_remux_psip.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_onid_SOURCES = \
	tests/unit/worker/remux/test_remux_onid.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_full_SOURCES = \
	tests/unit/worker/remux/test_remux_full.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_names_SOURCES = \
	tests/unit/worker/remux/test_remux_names.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_remux_test_remux_tables_SOURCES = \
	tests/unit/worker/remux/test_remux_tables.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_scan_test_adapter_task_LDADD = $(LDADD) $(SECCOMP_LIBS)
tests_unit_worker_scan_test_adapter_task_LDFLAGS = -Wl,--wrap=mono_ns \
	-Wl,--wrap=worker_enter_sandbox
tests_unit_worker_stream_test_cas_changes_SOURCES = \
	tests/unit/worker/stream/test_cas_changes.c \
	tests/helpers/csa_words.c tests/helpers/csa_words.h
tests_unit_worker_stream_test_mux_input_SOURCES = \
	tests/unit/worker/stream/test_mux_input.c \
	tests/unit/worker/remux/rig.c \
	tests/unit/worker/remux/rig.h
tests_unit_worker_stream_test_own_tables_LDFLAGS = \
	-Wl,--wrap=own_others_begin
tests_unit_worker_stream_test_selector_LDFLAGS = -Wl,--wrap=mono_ns
tests_unit_worker_tls_test_ticket_keys_LDADD = \
	libworkertls.a \
	$(test_libs) \
	$(SSL_LIBS)
tests_unit_worker_tls_test_tls_server_SOURCES = \
	tests/unit/worker/tls/test_tls_server.c \
	tests/component/pem.c \
	tests/component/pem.h
tests_unit_worker_tls_test_tls_server_LDADD = \
	libworkertls.a \
	$(test_libs) \
	$(SSL_LIBS)

unit_master_tests = \
	tests/unit/master/api/test_access \
	tests/unit/master/api/test_adapters \
	tests/unit/master/api/test_announcements \
	tests/unit/master/api/test_satip_servers \
	tests/unit/master/api/test_api \
	tests/unit/master/api/test_categories \
	tests/unit/master/api/test_command \
	tests/unit/master/api/test_cues \
	tests/unit/master/api/test_guide_events \
	tests/unit/master/api/test_dry_run \
	tests/unit/master/api/test_input_edit \
	tests/unit/master/api/test_log_query \
	tests/unit/master/api/test_openings \
	tests/unit/master/api/test_output_groups \
	tests/unit/master/api/test_scans \
	tests/unit/master/api/test_sections \
	tests/unit/master/api/test_sessions \
	tests/unit/master/api/test_settings \
	tests/unit/master/api/test_softcams \
	tests/unit/master/api/test_streams \
	tests/unit/master/auth/test_auth \
	tests/unit/master/auth/test_password_check \
	tests/unit/master/config/test_check \
	tests/unit/master/config/test_check_addresses \
	tests/unit/master/config/test_check_others \
	tests/unit/master/config/test_certificate_time \
	tests/unit/master/config/test_check_places \
	tests/unit/master/config/test_category_name \
	tests/unit/master/config/test_check_adapters \
	tests/unit/master/config/test_check_categories \
	tests/unit/master/config/test_effective \
	tests/unit/master/config/test_entry \
	tests/unit/master/config/test_check_entries \
	tests/unit/master/config/test_check_stream \
	tests/unit/master/config/test_config \
	tests/unit/master/config/test_describe \
	tests/unit/master/config/test_findings \
	tests/unit/master/config/test_forms \
	tests/unit/master/config/test_stream_conf \
	tests/unit/master/config/test_keep_active \
	tests/unit/master/config/test_play_conf \
	tests/unit/master/config/test_playlist \
	tests/unit/master/config/test_softcam_conf \
	tests/unit/master/streams/test_adapter_minute \
	tests/unit/master/streams/test_adapter_programs \
	tests/unit/master/streams/test_demand \
	tests/unit/master/config/test_link_graph \
	tests/unit/master/config/test_stream_links \
	tests/unit/master/config/test_unknown_keys \
	tests/unit/master/config/test_uploaded \
	tests/unit/master/config/test_variant \
	tests/unit/master/config/test_write_paths \
	tests/unit/master/http/test_static_answer \
	tests/unit/master/setup/test_control_socket \
	tests/unit/master/setup/test_log_settings \
	tests/unit/master/setup/test_options \
	tests/unit/master/softcams/test_softcam_list \
	tests/unit/master/status/test_history \
	tests/unit/master/status/test_history_hours \
	tests/unit/master/status/test_host_advice \
	tests/unit/master/status/test_hour \
	tests/unit/master/status/test_minute \
	tests/unit/master/status/test_source_alarms \
	tests/unit/master/status/test_status \
	tests/unit/master/status/test_status_alarm \
	tests/unit/master/status/test_status_words \
	tests/unit/master/status/test_system_alarms \
	tests/unit/master/status/test_system_status \
	tests/unit/master/streams/test_analysis_request \
	tests/unit/master/streams/test_epg_docs \
	tests/unit/master/streams/test_epg_exports \
	tests/unit/master/streams/test_epg_keys \
	tests/unit/master/streams/test_guide_links \
	tests/unit/master/streams/test_hls_bases \
	tests/unit/master/streams/test_input_choice \
	tests/unit/master/streams/test_listeners \
	tests/unit/master/streams/test_cas_links \
	tests/unit/master/streams/test_queriers \
	tests/unit/master/streams/test_mount_number \
	tests/unit/master/streams/test_receivers \
	tests/unit/master/streams/test_session_list \
	tests/unit/master/streams/test_stream_foresee \
	tests/unit/master/streams/test_feed_report \
	tests/unit/master/streams/test_mpts \
	tests/unit/master/streams/test_adapter_cams \
	tests/unit/master/streams/test_stream_plan \
	tests/unit/master/streams/test_switch_log \
	tests/unit/master/viewers/test_viewer_rules \
	tests/unit/master/viewers/test_backend_cache \
	tests/unit/master/viewers/test_closed_sessions \
	tests/unit/master/viewers/test_denial_log \
	tests/unit/master/viewers/test_players \
	tests/unit/master/viewers/test_surplus \
	tests/unit/master/viewers/test_viewer_table \
	tests/unit/master/viewers/test_viewer_guest \
	tests/unit/master/viewers/test_viewers \
	tests/unit/master/test_file_budget \
	tests/unit/master/test_renewal \
	tests/unit/master/test_reread
check_PROGRAMS += $(unit_master_tests)
TESTS += $(unit_master_tests)
tests_unit_master_api_test_access_SOURCES = \
	tests/unit/master/api/test_access.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_access_LDADD = $(master_libs)
tests_unit_master_api_test_adapters_SOURCES = \
	tests/unit/master/api/test_adapters.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_adapters_LDADD = $(master_libs)
tests_unit_master_api_test_satip_servers_SOURCES = \
	tests/unit/master/api/test_satip_servers.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_announcements_SOURCES = \
	tests/unit/master/api/test_announcements.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_announcements_LDADD = $(master_libs)
tests_unit_master_api_test_satip_servers_LDADD = $(master_libs)
tests_unit_master_api_test_api_SOURCES = \
	tests/unit/master/api/test_api.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_api_LDADD = $(master_libs)
tests_unit_master_api_test_categories_SOURCES = \
	tests/unit/master/api/test_categories.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_categories_LDADD = $(master_libs)
tests_unit_master_config_test_category_name_LDADD = $(master_libs)
tests_unit_master_config_test_entry_LDADD = $(master_libs)
tests_unit_master_config_test_check_categories_LDADD = $(master_libs)
tests_unit_master_api_test_command_SOURCES = \
	tests/unit/master/api/test_command.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_command_LDADD = $(master_libs)
tests_unit_master_api_test_cues_SOURCES = \
	tests/unit/master/api/test_cues.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_cues_LDADD = $(master_libs)
tests_unit_master_api_test_guide_events_SOURCES = \
	tests/unit/master/api/test_guide_events.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_guide_events_LDADD = $(master_libs)
tests_unit_master_api_test_dry_run_SOURCES = \
	tests/unit/master/api/test_dry_run.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_dry_run_LDADD = $(master_libs)
tests_unit_master_api_test_input_edit_LDADD = $(master_libs)
tests_unit_master_api_test_log_query_SOURCES = \
	tests/unit/master/api/test_log_query.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_log_query_LDADD = $(master_libs)
tests_unit_master_api_test_openings_SOURCES = \
	tests/unit/master/api/test_openings.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_openings_LDFLAGS = -Wl,--wrap=json_dumps \
	-Wl,--wrap=mono_ms -Wl,--wrap=document_load_changed \
	-Wl,--wrap=status_overview
tests_unit_master_api_test_openings_LDADD = $(master_libs)
tests_unit_master_api_test_output_groups_SOURCES = \
	tests/unit/master/api/test_output_groups.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_output_groups_LDADD = $(master_libs)
tests_unit_master_api_test_scans_SOURCES = \
	tests/unit/master/api/test_scans.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_scans_LDFLAGS = -Wl,--wrap=readlink
tests_unit_master_api_test_scans_LDADD = $(master_libs)
tests_unit_master_api_test_sections_SOURCES = \
	tests/unit/master/api/test_sections.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_sections_LDADD = $(master_libs)
tests_unit_master_api_test_sessions_SOURCES = \
	tests/unit/master/api/test_sessions.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_sessions_LDADD = $(master_libs)
tests_unit_master_api_test_settings_SOURCES = \
	tests/unit/master/api/test_settings.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_settings_LDADD = $(master_libs)
tests_unit_master_api_test_softcams_SOURCES = \
	tests/unit/master/api/test_softcams.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_softcams_LDADD = $(master_libs)
tests_unit_master_api_test_streams_SOURCES = \
	tests/unit/master/api/test_streams.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_api_test_streams_LDADD = $(master_libs)
tests_unit_master_auth_test_auth_LDADD = $(master_libs)
tests_unit_master_auth_test_password_check_LDADD = $(master_libs)
tests_unit_master_config_test_check_LDADD = $(master_libs)
tests_unit_master_config_test_check_addresses_LDADD = $(master_libs)
tests_unit_master_config_test_check_others_LDADD = $(master_libs)
tests_unit_master_config_test_certificate_time_LDADD = $(master_libs)
tests_unit_master_config_test_check_places_LDADD = $(master_libs)
tests_unit_master_config_test_check_adapters_SOURCES = \
	tests/unit/master/config/test_check_adapters.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_config_test_check_adapters_LDADD = $(master_libs)
tests_unit_master_config_test_check_entries_SOURCES = \
	tests/unit/master/config/test_check_entries.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_config_test_check_entries_LDADD = $(master_libs)
tests_unit_master_config_test_check_stream_LDADD = $(master_libs)
tests_unit_master_config_test_config_LDADD = $(master_libs)
tests_unit_master_config_test_describe_LDADD = $(master_libs)
tests_unit_master_config_test_effective_LDADD = $(master_libs)
tests_unit_master_config_test_findings_LDADD = $(master_libs)
tests_unit_master_config_test_forms_LDADD = $(master_libs)
tests_unit_master_config_test_stream_conf_LDADD = $(master_libs)
tests_unit_master_config_test_softcam_conf_LDADD = $(master_libs)
tests_unit_master_config_test_keep_active_SOURCES = \
	tests/unit/master/config/test_keep_active.c
tests_unit_master_config_test_keep_active_LDADD = $(master_libs)
tests_unit_master_streams_test_adapter_minute_LDADD = $(master_libs)
tests_unit_master_streams_test_adapter_programs_LDADD = $(master_libs)
tests_unit_master_streams_test_demand_SOURCES = \
	tests/unit/master/streams/test_demand.c
tests_unit_master_streams_test_demand_LDADD = $(master_libs)
tests_unit_master_config_test_playlist_SOURCES = \
	tests/unit/master/config/test_playlist.c
tests_unit_master_config_test_playlist_LDADD = $(master_libs)
tests_unit_master_config_test_play_conf_SOURCES = \
	tests/unit/master/config/test_play_conf.c
tests_unit_master_config_test_play_conf_LDADD = $(master_libs)
tests_unit_master_config_test_link_graph_SOURCES = \
	tests/unit/master/config/test_link_graph.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_config_test_link_graph_LDADD = $(master_libs)
tests_unit_master_config_test_stream_links_SOURCES = \
	tests/unit/master/config/test_stream_links.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_config_test_stream_links_LDADD = $(master_libs)
tests_unit_master_config_test_unknown_keys_LDADD = $(master_libs)
tests_unit_master_config_test_uploaded_LDADD = $(master_libs)
tests_unit_master_config_test_variant_LDADD = $(master_libs)
tests_unit_master_config_test_write_paths_LDADD = $(master_libs)
tests_unit_master_setup_test_control_socket_LDADD = $(master_libs)
tests_unit_master_setup_test_log_settings_LDADD = $(master_libs)
tests_unit_master_http_test_static_answer_LDADD = $(master_libs)
tests_unit_master_setup_test_options_LDADD = $(master_libs)
tests_unit_master_status_test_history_SOURCES = \
	tests/unit/master/status/test_history.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_status_test_history_LDADD = $(master_libs)
tests_unit_master_status_test_history_hours_SOURCES = \
	tests/unit/master/status/test_history_hours.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_status_test_history_hours_LDADD = $(master_libs)
tests_unit_master_status_test_host_advice_SOURCES = \
	tests/unit/master/status/test_host_advice.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_status_test_host_advice_LDADD = $(master_libs)
tests_unit_master_status_test_hour_LDADD = $(master_libs)
tests_unit_master_softcams_test_softcam_list_LDADD = $(master_libs)
tests_unit_master_status_test_minute_LDADD = $(master_libs)
tests_unit_master_status_test_status_SOURCES = \
	tests/unit/master/status/test_status.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_status_test_status_LDADD = $(master_libs)
tests_unit_master_status_test_source_alarms_LDADD = $(master_libs)
tests_unit_master_status_test_status_alarm_LDADD = $(master_libs)
tests_unit_master_status_test_status_words_SOURCES = \
	tests/unit/master/status/overview_row.h \
	tests/unit/master/status/test_status_words.c \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_status_test_status_words_LDADD = $(master_libs)
tests_unit_master_status_test_system_alarms_LDADD = $(master_libs)
tests_unit_master_status_test_system_status_LDADD = $(master_libs)
tests_unit_master_streams_test_analysis_request_SOURCES = \
	tests/unit/master/streams/channel_rig.c \
	tests/unit/master/streams/channel_rig.h \
	tests/unit/master/streams/test_analysis_request.c
tests_unit_master_streams_test_analysis_request_LDADD = $(master_libs)
tests_unit_master_streams_test_input_choice_SOURCES = \
	tests/unit/master/streams/channel_rig.c \
	tests/unit/master/streams/channel_rig.h \
	tests/unit/master/streams/test_input_choice.c
tests_unit_master_streams_test_input_choice_LDADD = $(master_libs)
tests_unit_master_streams_test_epg_docs_LDADD = $(master_libs)
tests_unit_master_streams_test_epg_docs_LDFLAGS = -Wl,--wrap=mono_ms
tests_unit_master_streams_test_epg_exports_LDADD = $(master_libs)
tests_unit_master_streams_test_epg_exports_LDFLAGS = -Wl,--wrap=mono_ms
tests_unit_master_streams_test_epg_keys_LDADD = $(master_libs)
tests_unit_master_streams_test_guide_links_LDADD = $(master_libs)
tests_unit_master_streams_test_hls_bases_LDADD = $(master_libs)
tests_unit_master_streams_test_listeners_LDADD = $(master_libs)
tests_unit_master_streams_test_cas_links_LDADD = $(master_libs)
tests_unit_master_streams_test_feed_report_LDADD = $(master_libs)
tests_unit_master_streams_test_mpts_LDADD = $(master_libs)
tests_unit_master_streams_test_queriers_LDADD = $(master_libs)
tests_unit_master_streams_test_mount_number_LDADD = $(master_libs)
tests_unit_master_streams_test_receivers_LDADD = $(master_libs)
tests_unit_master_streams_test_session_list_LDADD = $(master_libs)
tests_unit_master_streams_test_stream_foresee_LDADD = $(master_libs)
tests_unit_master_streams_test_adapter_cams_LDADD = $(master_libs)
tests_unit_master_streams_test_stream_plan_LDADD = $(master_libs)
tests_unit_master_streams_test_switch_log_LDADD = $(master_libs)
tests_unit_master_viewers_test_viewer_rules_LDADD = $(master_libs)
tests_unit_master_viewers_test_backend_cache_LDADD = $(master_libs)
tests_unit_master_viewers_test_closed_sessions_LDADD = $(master_libs)
tests_unit_master_viewers_test_denial_log_LDADD = $(master_libs)
tests_unit_master_viewers_test_players_LDADD = $(master_libs)
tests_unit_master_viewers_test_surplus_LDADD = $(master_libs)
tests_unit_master_viewers_test_viewer_table_LDADD = $(master_libs)
tests_unit_master_viewers_test_viewer_guest_LDADD = $(master_libs)
tests_unit_master_viewers_test_viewers_LDADD = $(master_libs)
tests_unit_master_test_file_budget_LDADD = $(master_libs)
tests_unit_master_test_renewal_LDADD = $(master_libs)
tests_unit_master_test_reread_SOURCES = \
	tests/unit/master/test_reread.c \
	tests/unit/master/api/world.c \
	tests/unit/master/api/world.h \
	tests/unit/master/fakes.c tests/unit/master/fakes_guide.c \
	tests/unit/master/fakes.h
tests_unit_master_test_reread_LDADD = $(master_libs)

unit_ctl_tests = \
	tests/unit/ctl/test_alarm_text \
	tests/unit/ctl/test_cmd_status \
	tests/unit/ctl/test_config_edit \
	tests/unit/ctl/test_config_view \
	tests/unit/ctl/test_overview \
	tests/unit/ctl/test_ctl_options \
	tests/unit/ctl/test_ctl_settings \
	tests/unit/ctl/test_diff_effect \
	tests/unit/ctl/test_json_diff \
	tests/unit/ctl/test_json_path \
	tests/unit/ctl/test_keyring \
	tests/unit/ctl/test_table \
	tests/unit/ctl/test_text
check_PROGRAMS += $(unit_ctl_tests)
TESTS += $(unit_ctl_tests)
tests_unit_ctl_test_alarm_text_LDADD = $(ctl_libs)
tests_unit_ctl_test_cmd_status_LDADD = $(ctl_libs)
tests_unit_ctl_test_config_edit_LDADD = $(ctl_libs)
tests_unit_ctl_test_config_view_LDADD = $(ctl_libs)
tests_unit_ctl_test_overview_LDADD = $(ctl_libs)
tests_unit_ctl_test_ctl_options_LDADD = $(ctl_libs)
tests_unit_ctl_test_ctl_settings_LDADD = $(ctl_libs)
tests_unit_ctl_test_diff_effect_LDADD = $(ctl_libs)
tests_unit_ctl_test_json_diff_LDADD = $(ctl_libs)
tests_unit_ctl_test_json_path_LDADD = $(ctl_libs)
tests_unit_ctl_test_keyring_LDADD = $(ctl_libs)
tests_unit_ctl_test_table_LDADD = $(ctl_libs)
tests_unit_ctl_test_text_LDADD = $(ctl_libs)

unit_helpers_tests = \
	tests/unit/bench/test_check_packets \
	tests/unit/helpers/test_buffers \
	tests/unit/helpers/test_judge
check_PROGRAMS += $(unit_helpers_tests)
TESTS += $(unit_helpers_tests)
tests_unit_bench_test_check_packets_SOURCES = \
	tests/bench/check_stream.c \
	tests/bench/histogram.c \
	tests/bench/stamp.c \
	tests/bench/tsmaker.c \
	tests/unit/bench/test_check_packets.c
endif
