# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets: tests/fuzz/fuzz_NAME.c has LLVMFuzzerTestOneInput(), samples
# are in tests/fuzz/corpus/NAME/.  `make check` replays the samples; with
# --enable-fuzzing (CC=clang) the targets are libFuzzer programs.
#
# One more target takes two lines here and its sample files:
#	fuzz_targets += tests/fuzz/fuzz_NAME
#	tests_fuzz_fuzz_NAME_LDADD = $(fuzz_engine) $(worker_libs)
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/fuzz.h tests/fuzz/pieces.h
fuzz_targets =

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

fuzz_targets += tests/fuzz/fuzz_ts
tests_fuzz_fuzz_ts_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_splice
tests_fuzz_fuzz_splice_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_cue
tests_fuzz_fuzz_cue_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_es
tests_fuzz_fuzz_es_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_monitor
tests_fuzz_fuzz_monitor_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_section
tests_fuzz_fuzz_section_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_pat
tests_fuzz_fuzz_pat_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_pmt
tests_fuzz_fuzz_pmt_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_remux
tests_fuzz_fuzz_remux_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_remux_tables
tests_fuzz_fuzz_remux_tables_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_stream_spec
tests_fuzz_fuzz_stream_spec_LDADD = $(fuzz_engine) $(unit_libs)

fuzz_targets += tests/fuzz/fuzz_ring
tests_fuzz_fuzz_ring_LDADD = $(fuzz_engine) libcommon.a

fuzz_targets += tests/fuzz/fuzz_msg
tests_fuzz_fuzz_msg_LDADD = $(fuzz_engine) $(unit_libs)
fuzz_targets += tests/fuzz/fuzz_rtp
tests_fuzz_fuzz_rtp_LDADD = $(fuzz_engine) $(worker_libs)
fuzz_targets += tests/fuzz/fuzz_merge
tests_fuzz_fuzz_merge_LDADD = $(fuzz_engine) $(worker_libs)
fuzz_targets += tests/fuzz/fuzz_fec
tests_fuzz_fuzz_fec_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_http_request
tests_fuzz_fuzz_http_request_LDADD = $(fuzz_engine) $(unit_libs)
fuzz_targets += tests/fuzz/fuzz_ws_frame
tests_fuzz_fuzz_ws_frame_LDADD = $(fuzz_engine) $(unit_libs)
fuzz_targets += tests/fuzz/fuzz_address
tests_fuzz_fuzz_address_LDADD = $(fuzz_engine) $(unit_libs)

fuzz_targets += tests/fuzz/fuzz_credential
tests_fuzz_fuzz_credential_LDADD = $(fuzz_engine) $(master_libs)

fuzz_targets += tests/fuzz/fuzz_config
tests_fuzz_fuzz_config_LDADD = $(fuzz_engine) $(master_libs)

fuzz_targets += tests/fuzz/fuzz_text
tests_fuzz_fuzz_text_LDADD = $(fuzz_engine) $(worker_libs)
fuzz_targets += tests/fuzz/fuzz_si
tests_fuzz_fuzz_si_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_hls_mux
tests_fuzz_fuzz_hls_mux_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_m3u8
tests_fuzz_fuzz_m3u8_LDADD = $(fuzz_engine) $(worker_libs)
fuzz_targets += tests/fuzz/fuzz_sdp
tests_fuzz_fuzz_sdp_LDADD = $(fuzz_engine) $(worker_libs)
fuzz_targets += tests/fuzz/fuzz_sap
tests_fuzz_fuzz_sap_LDADD = $(fuzz_engine) $(worker_libs)

fuzz_targets += tests/fuzz/fuzz_query
tests_fuzz_fuzz_query_LDADD = $(fuzz_engine) $(worker_libs)
fuzz_targets += tests/fuzz/fuzz_cbr
tests_fuzz_fuzz_cbr_LDADD = $(fuzz_engine) $(worker_libs)
