# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets: tests/fuzz/fuzz_NAME.c has LLVMFuzzerTestOneInput(), samples
# are in tests/fuzz/corpus/NAME/.  `make check` replays the samples; with
# --enable-fuzzing (CC=clang) the targets are libFuzzer programs.
#
# A target is called after the source that it tests.  One more takes a line in
# fuzz_targets, one for its libraries, and its sample files.
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/datagrams.h tests/fuzz/fuzz.h \
	tests/fuzz/peer.h tests/fuzz/pieces.h
fuzz_targets = \
	tests/fuzz/fuzz_address \
	tests/fuzz/fuzz_audio \
	tests/fuzz/fuzz_ca_stage \
	tests/fuzz/fuzz_cbr \
	tests/fuzz/fuzz_check \
	tests/fuzz/fuzz_codec \
	tests/fuzz/fuzz_ci_link \
	tests/fuzz/fuzz_ci_mmi \
	tests/fuzz/fuzz_ci_objects \
	tests/fuzz/fuzz_ci_session \
	tests/fuzz/fuzz_credential \
	tests/fuzz/fuzz_cue \
	tests/fuzz/fuzz_descrambler \
	tests/fuzz/fuzz_ecmg_session \
	tests/fuzz/fuzz_eit \
	tests/fuzz/fuzz_emmg_client \
	tests/fuzz/fuzz_fec_repair \
	tests/fuzz/fuzz_fmp4 \
	tests/fuzz/fuzz_guide \
	tests/fuzz/fuzz_guide_names \
	tests/fuzz/fuzz_hls_mux \
	tests/fuzz/fuzz_http_range \
	tests/fuzz/fuzz_http_request \
	tests/fuzz/fuzz_import_feed \
	tests/fuzz/fuzz_json_reader \
	tests/fuzz/fuzz_m3u8 \
	tests/fuzz/fuzz_monitor \
	tests/fuzz/fuzz_msg \
	tests/fuzz/fuzz_newcamd \
	tests/fuzz/fuzz_pat \
	tests/fuzz/fuzz_pmt \
	tests/fuzz/fuzz_psi_build \
	tests/fuzz/fuzz_query \
	tests/fuzz/fuzz_record \
	tests/fuzz/fuzz_remux \
	tests/fuzz/fuzz_ring \
	tests/fuzz/fuzz_rtp_window \
	tests/fuzz/fuzz_rtsp \
	tests/fuzz/fuzz_sap_packet \
	tests/fuzz/fuzz_sdp \
	tests/fuzz/fuzz_section \
	tests/fuzz/fuzz_server_description \
	tests/fuzz/fuzz_ses1 \
	tests/fuzz/fuzz_simulcrypt \
	tests/fuzz/fuzz_splice \
	tests/fuzz/fuzz_srt_streamid \
	tests/fuzz/fuzz_ssdp_message \
	tests/fuzz/fuzz_stream_spec \
	tests/fuzz/fuzz_sync \
	tests/fuzz/fuzz_t2mi \
	tests/fuzz/fuzz_text_decode \
	tests/fuzz/fuzz_text_dictionary \
	tests/fuzz/fuzz_ts_merge \
	tests/fuzz/fuzz_worker_proc \
	tests/fuzz/fuzz_viewer_credential \
	tests/fuzz/fuzz_ws_frame

if WITH_PICTURE
fuzz_targets += tests/fuzz/fuzz_picture
endif

if FUZZING
fuzz_engine = $(FUZZ_ENGINE)
noinst_PROGRAMS += $(fuzz_targets)
else
fuzz_engine = tests/fuzz/libreplay.a
check_LIBRARIES += tests/fuzz/libreplay.a
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)
endif
tests_fuzz_libreplay_a_SOURCES = tests/fuzz/replay.c

tests_fuzz_fuzz_address_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_audio_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_fmp4_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ca_stage_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_cbr_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_check_LDADD = $(fuzz_engine) $(master_libs)
tests_fuzz_fuzz_codec_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_credential_LDADD = $(fuzz_engine) $(master_libs)
tests_fuzz_fuzz_cue_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_descrambler_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_t2mi_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_eit_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_guide_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_guide_names_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_import_feed_SOURCES = tests/fuzz/fuzz_import_feed.c \
	worker/epg/import_feed.c worker/epg/xmltv_read.c
tests_fuzz_fuzz_import_feed_LDADD = $(fuzz_engine) $(worker_libs) $(EXPAT_LIBS)
tests_fuzz_fuzz_fec_repair_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_hls_mux_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_http_range_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_http_request_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_json_reader_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_m3u8_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_monitor_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_msg_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_newcamd_LDADD = $(fuzz_engine) $(worker_libs) $(CRYPTO_LIBS)
tests_fuzz_fuzz_pat_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ci_link_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ci_mmi_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ci_objects_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ci_session_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_pmt_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_psi_build_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_picture_LDADD = $(fuzz_engine) libworkerpicture.a \
	$(worker_libs) $(AVCODEC_LIBS)
tests_fuzz_fuzz_query_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_record_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_remux_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ring_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_rtp_window_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_rtsp_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_sap_packet_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_sdp_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_section_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_server_description_SOURCES = \
	tests/fuzz/fuzz_server_description.c \
	worker/scan/server_description.c
tests_fuzz_fuzz_server_description_LDADD = $(fuzz_engine) $(worker_libs) \
	$(EXPAT_LIBS)
tests_fuzz_fuzz_ssdp_message_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ses1_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_simulcrypt_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ecmg_session_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_emmg_client_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_splice_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_srt_streamid_SOURCES = tests/fuzz/fuzz_srt_streamid.c \
	worker/net/srt/srt_streamid.c
tests_fuzz_fuzz_srt_streamid_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_stream_spec_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_sync_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_text_dictionary_LDADD = $(fuzz_engine) $(unit_libs)
tests_fuzz_fuzz_text_decode_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_ts_merge_LDADD = $(fuzz_engine) $(worker_libs)
tests_fuzz_fuzz_worker_proc_LDADD = $(fuzz_engine) $(master_libs)
tests_fuzz_fuzz_worker_proc_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=child_start -Wl,--wrap=child_free \
	-Wl,--wrap=child_set_end -Wl,--wrap=child_pid \
	-Wl,--wrap=child_signal -Wl,--wrap=mono_ms \
	-Wl,--wrap=http_respond -Wl,--wrap=http_drop \
	-Wl,--wrap=spawner_queue -Wl,--wrap=spawner_cancel
tests_fuzz_fuzz_viewer_credential_LDADD = $(fuzz_engine) $(master_libs)
tests_fuzz_fuzz_ws_frame_LDADD = $(fuzz_engine) $(unit_libs)
