# SPDX-License-Identifier: GPL-3.0-or-later
# One protocol (TAP), one runner, one command: make check.
TEST_EXTENSIONS = .mjs .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
MJS_LOG_DRIVER = $(TAP_DRIVER)
# Ends what hangs: on a machine that is free none takes a third of that.
TEST_LIMIT = timeout -k 10 600
LOG_COMPILER = $(TEST_LIMIT)
SH_LOG_COMPILER = $(TEST_LIMIT) $(SHELL)
MJS_LOG_COMPILER = $(TEST_LIMIT) $(SHELL) $(top_srcdir)/tests/helpers/run-node.sh
AM_TESTS_ENVIRONMENT = \
	CRITERION_OUTPUTS='tap:-'; export CRITERION_OUTPUTS; \
	ASAN_OPTIONS='detect_leaks=0:quarantine_size_mb=16'; \
	export ASAN_OPTIONS; \
	builddir='$(abs_builddir)'; export builddir; \
	srcdir='$(abs_srcdir)'; export srcdir; \
	NODE='$(NODE)'; export NODE;

# What a test links: its program's library and all below it.  Tests of the
# worker and of what both sides share are the most, so they name none.
unit_libs = libproto.a libcommon.a $(LLHTTP_LINK) $(LIBEV_LIBS) \
	$(JANSSON_LIBS) $(WSLAY_LIBS) $(CRITERION_LIBS)
worker_libs = libworker.a $(unit_libs) $(LIBNL_LIBS) $(CRYPT_LIBS) $(DVBCSA_LIBS) \
	$(ZLIB_LIBS) \
	-lm
test_libs = tests/unit/librig.a tests/helpers/libjudge.a $(worker_libs)
master_libs = libmaster.a libservice.a $(unit_libs) $(CRYPTO_LIBS) \
	$(CRYPT_LIBS) $(SYSTEMD_LIBS) $(ZLIB_LIBS) -lpthread
ctl_libs = libctl.a $(unit_libs) $(CURL_LIBS)
LDADD = $(test_libs)

# The code of these tests runs for an instant and its macros take long to
# optimize, to describe to a debugger and to check for undefined behaviour,
# which only the code that they test is searched for.  The linker is the fastest
# of this machine.
if SANITIZERS
test_sanitizers = -fno-sanitize=undefined -fno-sanitize-address-use-after-scope
endif
tests/unit/%.o tests/component/%.o: private CFLAGS += -O0 -g1 \
	-U_FORTIFY_SOURCE $(test_sanitizers)
tests/unit/% tests/component/% tests/fuzz/%: private LDFLAGS += $(TEST_LINK)
# A process of a test loads this one instead of libgit2.  As a rpath of the old
# kind, the folder counts for what criterion needs, too.
if REPLACE_GIT2
tests/unit/% tests/component/%: private LDFLAGS += \
	-Wl,--disable-new-dtags -Wl,-rpath,$(abs_builddir)/tests/unit/lib
check_DATA += tests/unit/lib/$(CRITERION_GIT2)
CLEANFILES += tests/unit/lib/$(CRITERION_GIT2)
tests/unit/lib/$(CRITERION_GIT2): tests/unit/no_git2.c
	$(AM_V_GEN)$(MKDIR_P) tests/unit/lib && \
	$(CC) -shared -fPIC -Wl,-soname,$(CRITERION_GIT2) -o $@.tmp \
		$(srcdir)/tests/unit/no_git2.c && \
	mv $@.tmp $@
endif
EXTRA_DIST += tests/unit/no_git2.c

# Make starts the tests in this order.
include tests/web/local.mk
include tests/system/local.mk
include tests/unit/local.mk
include tests/component/local.mk
include tests/attacker/local.mk
include tests/clock/local.mk
include tests/reference/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
include tests/dvb/local.mk
include tests/ktls/local.mk

# Three lanes, which contrib/quickstart runs side by side.  Tests of the first
# wait most of their time, those of the second start browsers, those of the
# third compute.  automake removes TEST_SUITE_LOG at the start, so no output of
# make may have its name.
waiting_tests = $(filter tests/system/% tests/reference/%,$(TESTS))
browsing_tests = $(filter tests/web/%,$(TESTS))
other_tests = $(filter-out $(waiting_tests) $(browsing_tests) \
	$(sanitized_tests) $(confined_tests),$(TESTS))
# The longest are the first ones: they would run alone at the end.
first_kinds = tests/fuzz/% tests/component/%
computing_tests = $(filter $(first_kinds),$(other_tests)) \
	$(filter-out $(first_kinds),$(other_tests))
lane_tests = $(waiting_tests) $(browsing_tests) $(computing_tests)
# The third lane of a plain build leaves unit tests and samples of fuzz targets
# to the build with sanitizers, which finds more by them.  It has the tests that
# run more rounds or measure more there, and those of what depends on how a
# compiler optimizes: memory that is wiped or shared, and code for some
# processors.  `make check' runs all tests in each build.
if SANITIZERS
# No test of this build runs them.
plain_programs = tests/attacker/% tests/bench/% tests/dvb/% $(confined_tests)
# No system call is filtered in this build, and the plain one tries more of what
# is forbidden.  All workers of other tests run the code of the sandbox.
confined_tests = tests/component/test_sandbox
else
sanitized_tests = $(filter-out $(optimized_tests), \
	$(filter tests/unit/% tests/fuzz/%,$(TESTS)))
endif
optimized_tests = \
	tests/unit/common/account/test_credential \
	tests/unit/common/account/test_secret \
	tests/unit/common/base/test_hash \
	tests/unit/common/base/test_ring \
	tests/unit/common/base/test_ring_segment \
	tests/unit/common/base/test_shared \
	tests/unit/common/supervise/test_procfs \
	tests/unit/common/ws/test_hub \
	tests/unit/proto/ipc/test_channel \
	tests/unit/proto/wire/test_http_wipe \
	tests/unit/worker/core/test_hidden \
	tests/unit/worker/csa/test_csa \
	tests/unit/worker/failover/test_failover_holds \
	tests/unit/worker/failover/test_short_holes \
	tests/unit/worker/input/test_packet_ring \
	tests/unit/worker/merge/test_merge_model \
	tests/unit/worker/merge/test_merge_order \
	tests/unit/worker/net/test_cxx_memory \
	tests/unit/worker/output/test_cbr \
	tests/unit/worker/output/test_cbr_frequency \
	tests/unit/worker/output/test_pacer \
	tests/unit/worker/output/test_ring_out \
	tests/unit/worker/rtp/test_fec \
	tests/unit/worker/softcam/test_ecm_table \
	tests/unit/worker/splice/test_jump_sweep \
	tests/unit/worker/splice/test_one_offset \
	tests/unit/worker/splice/test_property \
	tests/unit/worker/stream/test_flapping \
	tests/unit/worker/ts/test_psi_long
run_tests = $(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= \
	check_LIBRARIES= check_DATA=
lanes = check-waiting check-browsing check-computing
$(lanes): check-%:
	+@$(run_tests) TESTS='$($*_tests)' TEST_SUITE_LOG=suite-$*.log
# What the first two need beside the programs.
waiting-programs: $(filter-out tests/unit/% tests/component/% tests/fuzz/% \
	tests/bench/%,$(check_PROGRAMS)) tests/bench/ws_farm $(check_DATA)
# What all of them need.
lane-programs: $(filter-out $(sanitized_tests) $(plain_programs), \
	$(check_PROGRAMS)) $(check_SCRIPTS) $(check_DATA)
.PHONY: $(lanes) waiting-programs lane-programs
