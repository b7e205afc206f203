# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libworker.a
libworker_a_SOURCES = \
	worker/openers.c

libexec_PROGRAMS += sluice-worker
sluice_worker_SOURCES = worker/main.c
sluice_worker_LDADD = libworker.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(LIBEV_LIBS) $(JANSSON_LIBS) $(LIBNL_LIBS) \
	$(CRYPT_LIBS) $(DVBCSA_LIBS) $(SECCOMP_LIBS) $(ZLIB_LIBS) -lm

# With the libraries that few streams need, which is why it is a program of its
# own: the others do not pay for their memory and their start.
libexec_PROGRAMS += sluice-worker-net
sluice_worker_net_SOURCES = worker/net/main.c
sluice_worker_net_CFLAGS = $(AM_CFLAGS) $(SRT_CFLAGS) $(RIST_CFLAGS) \
	$(CARES_CFLAGS) $(CURL_CFLAGS) $(CRYPTO_CFLAGS) $(EXPAT_CFLAGS)
sluice_worker_net_LDADD = libworker.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(LIBEV_LIBS) $(JANSSON_LIBS) $(LIBNL_LIBS) \
	$(CRYPT_LIBS) $(SRT_LIBS) $(RIST_LIBS) $(CARES_LIBS) $(CURL_LIBS) \
	$(CRYPTO_LIBS) $(DVBCSA_LIBS) $(SECCOMP_LIBS) $(EXPAT_LIBS) \
	$(ZLIB_LIBS) -lm

# Fewer pages to find again at each of the hundred wake-ups a second
# (doc/benchmarks.md has the figures): what runs then stands side by side, and
# there is no shared library.
EXTRA_DIST += worker/tick.ld
EXTRA_sluice_worker_DEPENDENCIES = worker/tick.ld
EXTRA_sluice_worker_net_DEPENDENCIES = worker/tick.ld
sluice_worker_net_LDFLAGS = $(AM_LDFLAGS) $(TICK_LINK)
if STATIC_WORKER
sluice_worker_LDFLAGS = -static-pie $(HARDEN_LDFLAGS) $(SAN_FLAGS) $(TICK_LINK)
else
sluice_worker_LDFLAGS = $(AM_LDFLAGS) $(TICK_LINK)
endif

include worker/adapter/ci/local.mk
include worker/adapter/dvb/local.mk
include worker/adapter/local.mk
include worker/adapter/satip/local.mk
include worker/analysis/local.mk
include worker/auth/local.mk
include worker/backend/local.mk
include worker/cas/local.mk
include worker/core/local.mk
include worker/csa/local.mk
include worker/ca/local.mk
include worker/t2mi/local.mk
include worker/deliver/local.mk
include worker/epg/local.mk
include worker/failover/local.mk
include worker/fragment/local.mk
include worker/filler/local.mk
include worker/input/local.mk
include worker/merge/local.mk
include worker/net/local.mk
include worker/net/curl/local.mk
include worker/net/hls/local.mk
include worker/net/librist/local.mk
include worker/net/rist/local.mk
include worker/net/srt/local.mk
include worker/mux/local.mk
include worker/output/local.mk
include worker/picture/local.mk
include worker/querier/local.mk
include worker/remux/local.mk
include worker/tables/local.mk
include worker/rtp/local.mk
include worker/scan/local.mk
include worker/sdp/local.mk
include worker/si/local.mk
include worker/socket/local.mk
include worker/softcam/local.mk
include worker/splice/local.mk
include worker/stream/local.mk
include worker/tls/local.mk
include worker/ts/local.mk
