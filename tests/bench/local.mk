# SPDX-License-Identifier: GPL-3.0-or-later
# Load generators and checkers: the system tests use them too, so every
# `make check` compiles them.
bench_programs = \
	tests/bench/csa_cost \
	tests/bench/descramble_cost \
	tests/bench/fanout \
	tests/bench/forwarder \
	tests/bench/hls_farm \
	tests/bench/merge_loss \
	tests/bench/page_farm \
	tests/bench/stage_cost \
	tests/bench/tscheck \
	tests/bench/tsgen \
	tests/bench/viewer_farm \
	tests/bench/ws_farm
check_PROGRAMS += $(bench_programs)

tests_bench_tsgen_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/orders.c tests/bench/orders.h \
	tests/bench/stamp.c tests/bench/stamp.h \
	tests/bench/tsgen.c \
	tests/bench/tsmaker.c tests/bench/tsmaker.h
tests_bench_tsgen_LDADD = libcommon.a

tests_bench_tscheck_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/check_stream.c tests/bench/check_stream.h \
	tests/bench/histogram.c tests/bench/histogram.h \
	tests/bench/orders.c tests/bench/orders.h \
	tests/bench/stamp.c tests/bench/stamp.h \
	tests/bench/tscheck.c
tests_bench_tscheck_LDADD = libcommon.a

tests_bench_viewer_farm_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/check_stream.c tests/bench/check_stream.h \
	tests/bench/descriptors.c tests/bench/descriptors.h \
	tests/bench/farm_viewer.c tests/bench/farm_viewer.h \
	tests/bench/histogram.c tests/bench/histogram.h \
	tests/bench/orders.c tests/bench/orders.h \
	tests/bench/stamp.c tests/bench/stamp.h \
	tests/bench/viewer_farm.c
tests_bench_viewer_farm_LDADD = libcommon.a

tests_bench_fanout_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/descriptors.c tests/bench/descriptors.h \
	tests/bench/fanout.c \
	tests/bench/orders.c tests/bench/orders.h
tests_bench_fanout_LDADD = libcommon.a

tests_bench_forwarder_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/forwarder.c \
	tests/bench/orders.c tests/bench/orders.h
tests_bench_forwarder_LDADD = libcommon.a

tests_bench_hls_farm_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/descriptors.c tests/bench/descriptors.h \
	tests/bench/histogram.c tests/bench/histogram.h \
	tests/bench/hls_client.c tests/bench/hls_client.h \
	tests/bench/hls_farm.c \
	tests/bench/orders.c tests/bench/orders.h
tests_bench_hls_farm_LDADD = libcommon.a

tests_bench_page_farm_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/descriptors.c tests/bench/descriptors.h \
	tests/bench/histogram.c tests/bench/histogram.h \
	tests/bench/orders.c tests/bench/orders.h \
	tests/bench/page_client.c tests/bench/page_client.h \
	tests/bench/page_farm.c
tests_bench_page_farm_LDADD = libcommon.a

tests_bench_csa_cost_SOURCES = tests/bench/csa_cost.c
tests_bench_csa_cost_LDADD = libworker.a libcommon.a $(DVBCSA_LIBS)

tests_bench_merge_loss_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/merge_loss.c \
	tests/unit/worker/merge/merge_count.c tests/unit/worker/merge/merge_count.h \
	tests/unit/worker/merge/merge_sim.c tests/unit/worker/merge/merge_sim.h
tests_bench_merge_loss_LDADD = libworker.a libcommon.a

tests_bench_descramble_cost_SOURCES = tests/bench/descramble_cost.c
tests_bench_descramble_cost_LDADD = libworker.a libproto.a libcommon.a \
	$(JANSSON_LIBS) $(DVBCSA_LIBS)

tests_bench_stage_cost_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/stage_cost.c \
	tests/bench/stamp.c tests/bench/stamp.h \
	tests/bench/tsmaker.c tests/bench/tsmaker.h
tests_bench_stage_cost_LDADD = libworker.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(LIBEV_LIBS) $(JANSSON_LIBS) $(LIBNL_LIBS) \
	$(CRYPT_LIBS) $(DVBCSA_LIBS) -lm

tests_bench_ws_farm_SOURCES = \
	tests/bench/args.c tests/bench/args.h \
	tests/bench/descriptors.c tests/bench/descriptors.h \
	tests/bench/histogram.c tests/bench/histogram.h \
	tests/bench/orders.c tests/bench/orders.h \
	tests/bench/ws_client.c tests/bench/ws_client.h \
	tests/bench/ws_farm.c
tests_bench_ws_farm_LDADD = libcommon.a

bench_scripts = \
	tests/bench/api.mjs \
	tests/bench/opening.mjs \
	tests/bench/attacks.mjs \
	tests/bench/compare.mjs \
	tests/bench/csa.mjs \
	tests/bench/dvb.mjs \
	tests/bench/events.mjs \
	tests/bench/decisions.mjs \
	tests/bench/delivery.mjs \
	tests/bench/demand.mjs \
	tests/bench/descramble.mjs \
	tests/bench/fleet.mjs \
	tests/bench/flood.mjs \
	tests/bench/hls.mjs \
	tests/bench/http.mjs \
	tests/bench/joins.mjs \
	tests/bench/load.mjs \
	tests/bench/measure.mjs \
	tests/bench/memory.mjs \
	tests/bench/merge.mjs \
	tests/bench/mux.mjs tests/bench/muxsoak.mjs \
	tests/bench/pull.mjs \
	tests/bench/remux.mjs \
	tests/bench/outputs.mjs \
	tests/bench/players.mjs \
	tests/bench/report.mjs \
	tests/bench/rtp.mjs \
	tests/bench/run.mjs \
	tests/bench/soak.mjs \
	tests/bench/srt.mjs \
	tests/bench/stages.mjs \
	tests/bench/tls.mjs \
	tests/bench/udp.mjs \
	tests/bench/types.mjs \
	tests/bench/wall.mjs \
	tests/bench/web.mjs
EXTRA_DIST += $(bench_scripts)

# make bench [BENCH=udp,outputs,stages,remux,http,hls,memory,fleet,api,events,tls,pull]
#	[ROUNDS=3] [WINDOW=8] [AGAINST=DIR]
# make bench BENCH=wall [WALL_STREAMS=1000]: with Chromium
# make bench BENCH=dvb [MUXES=8] [MUX_RATE=60]: beside dvblast
.PHONY: bench
bench: sluice$(EXEEXT) sluice-worker$(EXEEXT) sluice-worker-tls$(EXEEXT) \
		sluice-worker-net$(EXEEXT) \
		tests/helpers/udp-record$(EXEEXT) \
		tests/helpers/ts-judge$(EXEEXT) \
		$(bench_programs)
	builddir='$(abs_builddir)' srcdir='$(abs_srcdir)' \
	BENCH='$(BENCH)' ROUNDS='$(ROUNDS)' WINDOW='$(WINDOW)' AGAINST='$(AGAINST)' \
	WALL_STREAMS='$(WALL_STREAMS)' \
	$(NODE) $(srcdir)/tests/bench/run.mjs

# make compare [WINDOW=8]: beside dvblast, multicat, ffmpeg, VLC ...
.PHONY: compare
compare: sluice$(EXEEXT) sluice-worker$(EXEEXT) $(bench_programs)
	builddir='$(abs_builddir)' srcdir='$(abs_srcdir)' BENCH=compare \
	WINDOW='$(WINDOW)' $(NODE) $(srcdir)/tests/bench/run.mjs

# make soak [SOAK=types,players,attacks,web,mux] [SOAK_SECONDS=600] [SOAK_STREAMS=100] [SOAK_RATE=8]
#	[SOAK_SPEED=1]: of web
SOAK = soak
.PHONY: soak
soak: sluice$(EXEEXT) sluice-worker$(EXEEXT) sluice-worker-tls$(EXEEXT) \
		sluice-worker-net$(EXEEXT) \
		tests/helpers/udp-record$(EXEEXT) \
		tests/helpers/ts-judge$(EXEEXT) \
		$(live_clips) $(bench_programs)
	builddir='$(abs_builddir)' srcdir='$(abs_srcdir)' BENCH='$(SOAK:mux=muxsoak)' \
	SOAK_SECONDS='$(SOAK_SECONDS)' SOAK_STREAMS='$(SOAK_STREAMS)' \
	SOAK_RATE='$(SOAK_RATE)' SOAK_SPEED='$(SOAK_SPEED)' \
	$(NODE) $(srcdir)/tests/bench/run.mjs

# make joins [JOINS=100] [KINDS=h264]: viewers of real encoders
.PHONY: joins
joins: sluice$(EXEEXT) sluice-worker$(EXEEXT)
	builddir='$(abs_builddir)' srcdir='$(abs_srcdir)' BENCH=joins \
	JOINS='$(JOINS)' KINDS='$(KINDS)' $(NODE) $(srcdir)/tests/bench/run.mjs
