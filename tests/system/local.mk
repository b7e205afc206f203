# SPDX-License-Identifier: GPL-3.0-or-later
# The real master from outside: each file tests one promise.
helper_files = \
	tests/helpers/alarms.mjs \
	tests/helpers/attack-scene.mjs \
	tests/helpers/auth.mjs \
	tests/helpers/authorization.mjs \
	tests/helpers/bad-clients.mjs \
	tests/helpers/bad-worker.mjs \
	tests/helpers/browser.mjs \
	tests/helpers/capture.mjs \
	tests/helpers/cas-scene.mjs \
	tests/helpers/clip.mjs \
	tests/helpers/commands.mjs \
	tests/helpers/completion.mjs \
	tests/helpers/container.mjs \
	tests/helpers/crowd.mjs \
	tests/helpers/day.mjs \
	tests/helpers/fake-service.mjs \
	tests/helpers/firefox.mjs \
	tests/helpers/form-fields.mjs \
	tests/helpers/hang.mjs \
	tests/helpers/hls.mjs \
	tests/helpers/playlist.mjs \
	tests/helpers/hls-scripted.mjs \
	tests/helpers/http-raw.mjs \
	tests/helpers/ctl.mjs \
	tests/helpers/joins.mjs \
	tests/helpers/live-clip.sh \
	tests/helpers/media.mjs \
	tests/helpers/model.mjs \
	tests/helpers/show-scene.mjs \
	tests/helpers/simulcrypt.mjs \
	tests/helpers/metrics-peer.py \
	tests/helpers/monitoring.mjs \
	tests/helpers/mux.mjs \
	tests/helpers/net.mjs \
	tests/helpers/newcamd.mjs \
	tests/helpers/nginx.mjs \
	tests/helpers/rist.mjs \
	tests/helpers/rist-stuck.mjs \
	tests/helpers/interface.mjs \
	tests/helpers/keyboard.mjs \
	tests/helpers/querier.mjs \
	tests/helpers/page-cost.mjs \
	tests/helpers/page-scene.mjs \
	tests/helpers/peers.mjs \
	tests/helpers/player-scene.mjs \
	tests/helpers/players.mjs \
	tests/helpers/proxy.mjs \
	tests/helpers/rate.mjs \
	tests/helpers/query.py \
	tests/helpers/reference.mjs \
	tests/helpers/run-node.sh \
	tests/helpers/scene.mjs \
	tests/helpers/schema.mjs \
	tests/helpers/schema-errors.py \
	tests/helpers/si.mjs \
	tests/helpers/situations.mjs \
	tests/helpers/sluice.mjs \
	tests/helpers/t2mi.mjs \
	tests/helpers/tls.mjs \
	tests/helpers/timeouts.mjs \
	tests/helpers/timing.mjs \
	tests/helpers/ts.mjs \
	tests/helpers/udp.mjs \
	tests/helpers/util.mjs \
	tests/helpers/ws-peer.mjs \
	tests/helpers/ws-peer.py \
	tests/helpers/ws.mjs \
	tests/helpers/xmltv.mjs
# They take half a minute and more, and start first: none runs alone at the end.
slow_tests = \
	tests/system/viewer-container.mjs \
	tests/system/mpts.mjs \
	tests/system/adapter-address.mjs \
	tests/system/pain-source.mjs \
	tests/system/querier.mjs \
	tests/system/ctl.mjs \
	tests/system/cues.mjs \
	tests/system/record.mjs \
	tests/system/hls-input.mjs \
	tests/system/rist-sides.mjs \
	tests/system/srt.mjs \
	tests/system/restart-faults.mjs \
	tests/system/http-input.mjs \
	tests/system/hostile.mjs \
	tests/system/push.mjs \
	tests/system/bad-clients.mjs \
	tests/system/crash.mjs \
	tests/system/authorization.mjs
system_tests = \
	tests/system/adapter-satip.mjs \
	tests/system/adapters.mjs \
	tests/system/announcements.mjs \
	tests/system/auth-start.mjs \
	tests/system/authorization-backend.mjs \
	tests/system/authorization-srt.mjs \
	tests/system/cbr.mjs \
	tests/system/check.mjs \
	tests/system/ctl-login.mjs \
	tests/system/ctl-tls.mjs \
	tests/system/ctl-top.mjs \
	tests/system/descramble.mjs \
	tests/system/durability.mjs \
	tests/system/epg.mjs \
	tests/system/epg-export.mjs \
	tests/system/epg-import.mjs \
	tests/system/events.mjs \
	tests/system/failover.mjs \
	tests/system/file-alarms.mjs \
	tests/system/hardening.mjs \
	tests/system/follow.mjs \
	tests/system/host-warnings.mjs \
	tests/system/hls.mjs \
	tests/system/http.mjs \
	tests/system/log.mjs \
	tests/system/log-settings.mjs \
	tests/system/model.mjs \
	tests/system/metrics.mjs \
	tests/system/monitoring.mjs \
	tests/system/mpts-late.mjs \
	tests/system/mux.mjs \
	tests/system/page.mjs \
	tests/system/output-faults.mjs \
	tests/system/own-eit.mjs \
	tests/system/own-eit-status.mjs \
	tests/system/own-network.mjs \
	tests/system/own-time.mjs \
	tests/system/picture.mjs \
	tests/system/protection.mjs \
	tests/system/redaction.mjs \
	tests/system/refusals.mjs \
	tests/system/remux.mjs \
	tests/system/roles.mjs \
	tests/system/reload.mjs \
	tests/system/sap.mjs \
	tests/system/scan.mjs \
	tests/system/sdp.mjs \
	tests/system/simulcrypt-faults.mjs \
	tests/system/t2mi.mjs \
	tests/system/test-softcam.mjs \
	tests/system/users.mjs \
	tests/system/viewer-lock.mjs \
	tests/system/viewer-shares.mjs \
	tests/system/write-paths.mjs
# Libraries and programs of others, or the tests themselves, do the work: a build
# with sanitizers shows no more there.  It has rist-sides and srt.
library_tests = \
	tests/system/srt-peers.mjs \
	tests/system/rist-stuck.mjs \
	tests/system/rist-alarm.mjs \
	tests/system/rist-retry.mjs \
	tests/system/rist-places.mjs \
	tests/system/rist-cut.mjs \
	tests/system/rist-paths.mjs \
	tests/system/rist-outage.mjs \
	tests/system/rist-loop.mjs
program_tests = \
	tests/system/sdp-peers.mjs \
	tests/system/players.mjs \
	tests/system/peers.mjs \
	tests/system/hls-nginx.mjs \
	tests/system/fail2ban.mjs \
	tests/system/completion.mjs \
	tests/system/config-schema.mjs \
	tests/system/installed.mjs \
	tests/system/ctl-completion.mjs \
	tests/system/harness.mjs
# What runs of ours in these runs under the sanitizers in unit tests, in the
# samples of fuzz targets and in the other files, as gcov shows; or the sanitizers
# take away what they are about.  The first ones take long.
plain_tests = \
	tests/system/restart.mjs \
	tests/system/faults.mjs \
	tests/system/viewers.mjs \
	tests/system/rtp.mjs \
	tests/system/mpts-peers.mjs \
	tests/system/rist-peers.mjs \
	tests/system/situations-backup.mjs \
	tests/system/hls-audio.mjs \
	tests/system/auth-lock.mjs \
	tests/system/hls-places.mjs \
	tests/system/situations-service.mjs \
	tests/system/pain-switch.mjs \
	tests/system/restart-changes.mjs \
	tests/system/control-port.mjs \
	tests/system/splice.mjs \
	tests/system/service-alarms.mjs \
	tests/system/situations-processes.mjs \
	tests/system/alarms.mjs \
	tests/system/analysis.mjs \
	tests/system/api.mjs \
	tests/system/auth.mjs \
	tests/system/auth-events.mjs \
	tests/system/auth-flood.mjs \
	tests/system/biss.mjs \
	tests/system/categories.mjs \
	tests/system/cbr-stall.mjs \
	tests/system/cbr-restart.mjs \
	tests/system/cell.mjs \
	tests/system/clock-step.mjs \
	tests/system/event-farm.mjs \
	tests/system/failover-seam.mjs \
	tests/system/file.mjs \
	tests/system/file-list.mjs \
	tests/system/file-warnings.mjs \
	tests/system/hls-fmp4.mjs \
	tests/system/hls-outage.mjs \
	tests/system/hls-parts.mjs \
	tests/system/hls-bases.mjs \
	tests/system/hostile-starts.mjs \
	tests/system/http-strict.mjs \
	tests/system/inputs.mjs \
	tests/system/interface.mjs \
	tests/system/interface-address.mjs \
	tests/system/join.mjs \
	tests/system/main.mjs \
	tests/system/merge.mjs \
	tests/system/model-crash.mjs \
	tests/system/new-files.mjs \
	tests/system/no-memory.mjs \
	tests/system/output.mjs \
	tests/system/output-address.mjs \
	tests/system/output-groups.mjs \
	tests/system/pain-clock.mjs \
	tests/system/pain-data.mjs \
	tests/system/pain-loss.mjs \
	tests/system/pain-memory.mjs \
	tests/system/play.mjs \
	tests/system/private-files.mjs \
	tests/system/querier-restart.mjs \
	tests/system/rebinding.mjs \
	tests/system/remux-file.mjs \
	tests/system/rename.mjs \
	tests/system/rist.mjs \
	tests/system/rtp-merge.mjs \
	tests/system/rtp-output.mjs \
	tests/system/satip-servers.mjs \
	tests/system/save.mjs \
	tests/system/save-faults.mjs \
	tests/system/scan-samples.mjs \
	tests/system/service-user.mjs \
	tests/system/sessions.mjs \
	tests/system/settings.mjs \
	tests/system/several-workers.mjs \
	tests/system/simulcrypt.mjs \
	tests/system/simulcrypt-lost.mjs \
	tests/system/situations-content.mjs \
	tests/system/situations-outputs.mjs \
	tests/system/softcams.mjs \
	tests/system/splice-restart.mjs \
	tests/system/srt-callers.mjs \
	tests/system/srt-interface.mjs \
	tests/system/status.mjs \
	tests/system/stop.mjs \
	tests/system/stream-input.mjs \
	tests/system/tables.mjs \
	tests/system/tls.mjs \
	tests/system/tls-hang.mjs \
	tests/system/tls-viewers.mjs \
	tests/system/unit.mjs \
	tests/system/wire.mjs \
	tests/system/words-in-memory.mjs \
	tests/system/ws-clients.mjs
all_system_tests = $(slow_tests) $(system_tests) $(library_tests) \
	$(program_tests) $(plain_tests)
EXTRA_DIST += $(helper_files) $(all_system_tests) tests/system/programs.sh

check_PROGRAMS += tests/helpers/fake-manager
tests_helpers_fake_manager_SOURCES = tests/helpers/fake-manager.c

check_PROGRAMS += tests/helpers/remux-file
tests_helpers_remux_file_SOURCES = tests/helpers/remux-file.c
tests_helpers_remux_file_LDADD = libworker.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(JANSSON_LIBS)

check_PROGRAMS += tests/helpers/scramble-file
tests_helpers_scramble_file_SOURCES = tests/helpers/scramble-file.c
tests_helpers_scramble_file_LDADD = libworker.a libcommon.a $(DVBCSA_LIBS)

check_PROGRAMS += tests/helpers/bare-port
tests_helpers_bare_port_SOURCES = tests/helpers/bare-port.c

check_PROGRAMS += tests/helpers/hold-thread
tests_helpers_hold_thread_SOURCES = tests/helpers/hold-thread.c

check_PROGRAMS += tests/helpers/refuse-call
tests_helpers_refuse_call_SOURCES = tests/helpers/refuse-call.c

check_PROGRAMS += tests/helpers/hang-fs
tests_helpers_hang_fs_SOURCES = tests/helpers/hang-fs.c

check_PROGRAMS += tests/helpers/udp-record
tests_helpers_udp_record_SOURCES = tests/helpers/udp-record.c

check_PROGRAMS += tests/helpers/csa-receiver
csa_words = tests/helpers/csa_words.c tests/helpers/csa_words.h
tests_helpers_csa_receiver_SOURCES = tests/helpers/csa-receiver.c $(csa_words)
tests_helpers_csa_receiver_LDADD = $(DVBCSA_LIBS)

check_PROGRAMS += tests/helpers/ts-judge
tests_helpers_ts_judge_SOURCES = tests/helpers/ts-judge.c
tests_helpers_ts_judge_LDADD = tests/helpers/libjudge.a

check_LIBRARIES += tests/helpers/libjudge.a
tests_helpers_libjudge_a_SOURCES = \
	tests/helpers/buffer_sizes.c tests/helpers/buffer_sizes.h \
	tests/helpers/buffers.c tests/helpers/buffers.h \
	tests/helpers/judge.c tests/helpers/judge.h

check_PROGRAMS += tests/helpers/splice-run
tests_helpers_splice_run_SOURCES = tests/helpers/splice-run.c
tests_helpers_splice_run_LDFLAGS = -Wl,--wrap=file_reader_peek
tests_helpers_splice_run_LDADD = libworker.a libproto.a libcommon.a \
	$(LIBEV_LIBS) $(JANSSON_LIBS) $(LIBNL_LIBS) -lm

check_PROGRAMS += tests/helpers/http-read
tests_helpers_http_read_SOURCES = tests/helpers/http-read.c
tests_helpers_http_read_LDADD = libproto.a libcommon.a $(LLHTTP_LINK)

TESTS += tests/system/programs.sh
if HAVE_NODE
# The programmes that liveMultiplex() sends: no test encodes them again.  Those
# of one programme may play for long.
live_clips = tests/clips/live-1.ts tests/clips/live-2.ts tests/clips/live-3.ts
check_DATA += $(live_clips)
CLEANFILES += $(live_clips) tests/gst-registry.bin
tests/clips/live-1.ts: seconds = 120
tests/clips/live-2.ts tests/clips/live-3.ts: seconds = 10
$(live_clips): tests/clips/live-%.ts: tests/helpers/live-clip.sh config.status
	$(AM_V_GEN)$(MKDIR_P) tests/clips && \
	if command -v ffmpeg >/dev/null; then \
		$(SHELL) $(srcdir)/tests/helpers/live-clip.sh $* $(seconds) $@; \
	else : >$@; fi
# The longest ones first; those of players need the cores and not all at once.
if !SANITIZERS
TESTS += $(library_tests)
endif
TESTS += $(slow_tests)
if !SANITIZERS
TESTS += $(plain_tests) $(program_tests)
endif
TESTS += $(system_tests)
endif
