# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libworker.a
libworker_a_SOURCES = \
	worker/confine.c worker/confine.h \
	worker/kinds.c \
	worker/start.c worker/start.h \
	worker/worker.c worker/worker.h

include worker/ts/local.mk
include worker/si/local.mk
include worker/input/local.mk
include worker/hls/local.mk
include worker/output/local.mk
include worker/remux/local.mk
include worker/splice/local.mk
include worker/filler/local.mk
include worker/failover/local.mk
include worker/analysis/local.mk
include worker/stream/local.mk
include worker/deliver/local.mk
include worker/auth/local.mk
include worker/querier/local.mk
include worker/tls/local.mk
include worker/scan/local.mk
include worker/sdp/local.mk
include worker/softcam/local.mk

libexec_PROGRAMS += sluice-worker
sluice_worker_SOURCES = worker/main.c
sluice_worker_LDADD = libworker.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(LIBEV_LIBS) $(JANSSON_LIBS) $(LIBNL_LIBS) \
	$(CRYPT_LIBS) -lm

# With the libraries that few streams need, which is why it is a program of its
# own: the others do not pay for their memory and their start.
libexec_PROGRAMS += sluice-worker-net
sluice_worker_net_SOURCES = worker/net/main.c \
	worker/net/kinds.c worker/net/kinds.h \
	worker/net/fetch.c worker/net/fetch.h \
	worker/net/headers.c worker/net/headers.h \
	worker/net/hls.c worker/net/hls.h \
	worker/net/hls_audio.c worker/net/hls_audio.h \
	worker/net/hls_list.c worker/net/hls_list.h \
	worker/net/hls_load.c worker/net/hls_load.h \
	worker/net/hls_track.c worker/net/hls_track.h \
	worker/net/http_input.c \
	worker/net/np_output.c \
	worker/net/name.c worker/net/name.h \
	worker/net/page.c worker/net/page.h \
	worker/net/refusals.c worker/net/refusals.h \
	worker/net/rist_filter.c worker/net/rist_filter.h \
	worker/net/rist_gaps.c worker/net/rist_gaps.h \
	worker/net/rist_guard.c worker/net/rist_guard.h \
	worker/net/rist_input.c \
	worker/net/rist_link.c worker/net/rist_link.h \
	worker/net/rist_output.c \
	worker/net/rist_peers.c worker/net/rist_peers.h \
	worker/net/rist_place.c worker/net/rist_place.h \
	worker/net/rist_pulse.c worker/net/rist_pulse.h \
	worker/net/rist_said.c worker/net/rist_said.h \
	worker/net/rist_sources.c worker/net/rist_sources.h \
	worker/net/rist_threads.c worker/net/rist_threads.h \
	worker/net/srt_calls.c worker/net/srt_calls.h \
	worker/net/srt_input.c \
	worker/net/srt_output.c \
	worker/net/srt_peer.c worker/net/srt_peer.h \
	worker/net/srt_receivers.c worker/net/srt_receivers.h \
	worker/net/srt_place.c worker/net/srt_place.h \
	worker/net/srt_socket.c worker/net/srt_socket.h \
	worker/net/srt_stats.c worker/net/srt_stats.h \
	worker/net/url.c worker/net/url.h
sluice_worker_net_CFLAGS = $(AM_CFLAGS) $(SRT_CFLAGS) $(RIST_CFLAGS) \
	$(CARES_CFLAGS) $(CURL_CFLAGS) $(CRYPTO_CFLAGS)
sluice_worker_net_LDADD = libworker.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(LIBEV_LIBS) $(JANSSON_LIBS) $(LIBNL_LIBS) \
	$(CRYPT_LIBS) $(SRT_LIBS) $(RIST_LIBS) $(CARES_LIBS) $(CURL_LIBS) \
	$(CRYPTO_LIBS) -lm

# Fewer pages to find again at each of the hundred wake-ups a second
# (doc/benchmarks.md has the figures): what runs then stands side by side, and
# there is no shared library.
EXTRA_DIST += worker/tick.ld
EXTRA_sluice_worker_DEPENDENCIES = worker/tick.ld
EXTRA_sluice_worker_net_DEPENDENCIES = worker/tick.ld
sluice_worker_net_LDFLAGS = $(AM_LDFLAGS) $(TICK_LINK)
if STATIC_WORKER
sluice_worker_LDFLAGS = -static-pie -Wl,-z,relro -Wl,-z,now $(SAN_FLAGS) \
	$(TICK_LINK)
else
sluice_worker_LDFLAGS = $(AM_LDFLAGS) $(TICK_LINK)
endif
