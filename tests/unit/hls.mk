# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_hls_tests = \
	tests/unit/hls/test_join \
	tests/unit/hls/test_m3u8 \
	tests/unit/hls/test_mend \
	tests/unit/hls/test_mux \
	tests/unit/hls/test_mux_pmt \
	tests/unit/hls/test_packed \
	tests/unit/hls/test_play \
	tests/unit/hls/test_window
check_PROGRAMS += $(unit_hls_tests)
TESTS += $(unit_hls_tests)
tests_unit_hls_test_join_LDADD = $(worker_libs)
tests_unit_hls_test_mend_LDADD = $(worker_libs)
tests_unit_hls_test_mux_LDADD = $(worker_libs)
tests_unit_hls_test_mux_pmt_LDADD = $(worker_libs)
tests_unit_hls_test_packed_LDADD = $(worker_libs)
tests_unit_hls_test_play_LDADD = tests/unit/ts/libbuild.a $(worker_libs)
tests_unit_hls_test_m3u8_LDADD = $(worker_libs)
tests_unit_hls_test_window_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_fetch
TESTS += tests/unit/net/test_fetch
tests_unit_net_test_fetch_SOURCES = tests/unit/net/test_fetch.c \
	worker/net/fetch.c worker/net/headers.c worker/net/url.c
tests_unit_net_test_fetch_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS)
tests_unit_net_test_fetch_LDADD = $(worker_libs) $(CURL_LIBS)

check_PROGRAMS += tests/unit/net/test_hls_list
TESTS += tests/unit/net/test_hls_list
tests_unit_net_test_hls_list_SOURCES = tests/unit/net/test_hls_list.c \
	worker/net/hls_list.c worker/net/url.c
tests_unit_net_test_hls_list_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS)
tests_unit_net_test_hls_list_LDADD = $(worker_libs) $(CURL_LIBS)

check_PROGRAMS += tests/unit/net/test_rist_filter
TESTS += tests/unit/net/test_rist_filter
tests_unit_net_test_rist_filter_SOURCES = tests/unit/net/test_rist_filter.c \
	worker/net/rist_filter.c
tests_unit_net_test_rist_filter_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_rist_gaps
TESTS += tests/unit/net/test_rist_gaps
tests_unit_net_test_rist_gaps_SOURCES = tests/unit/net/test_rist_gaps.c \
	worker/net/rist_gaps.c
tests_unit_net_test_rist_gaps_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_rist_guard
TESTS += tests/unit/net/test_rist_guard
tests_unit_net_test_rist_guard_SOURCES = tests/unit/net/test_rist_guard.c \
	worker/net/rist_filter.c worker/net/rist_guard.c \
	worker/net/rist_sources.c
tests_unit_net_test_rist_guard_CFLAGS = $(AM_CFLAGS) $(RIST_CFLAGS)
tests_unit_net_test_rist_guard_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_rist_peers
TESTS += tests/unit/net/test_rist_peers
tests_unit_net_test_rist_peers_SOURCES = tests/unit/net/test_rist_peers.c \
	worker/net/rist_peers.c
tests_unit_net_test_rist_peers_CFLAGS = $(AM_CFLAGS) $(RIST_CFLAGS)
tests_unit_net_test_rist_peers_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_refusals
TESTS += tests/unit/net/test_refusals
tests_unit_net_test_refusals_SOURCES = tests/unit/net/test_refusals.c \
	worker/net/refusals.c
tests_unit_net_test_refusals_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_rist_place
TESTS += tests/unit/net/test_rist_place
tests_unit_net_test_rist_place_SOURCES = tests/unit/net/test_rist_place.c \
	worker/net/rist_place.c
tests_unit_net_test_rist_place_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_rist_pulse
TESTS += tests/unit/net/test_rist_pulse
tests_unit_net_test_rist_pulse_SOURCES = tests/unit/net/test_rist_pulse.c \
	worker/net/rist_pulse.c
tests_unit_net_test_rist_pulse_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_rist_said
TESTS += tests/unit/net/test_rist_said
tests_unit_net_test_rist_said_SOURCES = tests/unit/net/test_rist_said.c \
	worker/net/rist_said.c worker/net/rist_peers.c
tests_unit_net_test_rist_said_CFLAGS = $(AM_CFLAGS) $(RIST_CFLAGS)
tests_unit_net_test_rist_said_LDADD = $(worker_libs) $(RIST_LIBS)

check_PROGRAMS += tests/unit/net/test_rist_sources
TESTS += tests/unit/net/test_rist_sources
tests_unit_net_test_rist_sources_SOURCES = \
	tests/unit/net/test_rist_sources.c worker/net/rist_sources.c
tests_unit_net_test_rist_sources_CFLAGS = $(AM_CFLAGS) $(RIST_CFLAGS)
tests_unit_net_test_rist_sources_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_srt_calls
TESTS += tests/unit/net/test_srt_calls
tests_unit_net_test_srt_calls_SOURCES = tests/unit/net/test_srt_calls.c \
	worker/net/srt_calls.c
tests_unit_net_test_srt_calls_LDADD = $(worker_libs)

check_PROGRAMS += tests/unit/net/test_srt_socket
TESTS += tests/unit/net/test_srt_socket
tests_unit_net_test_srt_socket_SOURCES = tests/unit/net/test_srt_socket.c \
	worker/net/refusals.c worker/net/srt_calls.c worker/net/srt_place.c \
	worker/net/srt_socket.c
tests_unit_net_test_srt_socket_CFLAGS = $(AM_CFLAGS) $(SRT_CFLAGS)
tests_unit_net_test_srt_socket_LDADD = $(worker_libs) $(SRT_LIBS)
endif
