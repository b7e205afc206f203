# SPDX-License-Identifier: GPL-3.0-or-later
# Tuners on the DVB API of a real kernel, in a virtual machine: make check-dvb.
# It takes minutes, so make check has only the tests with fake devices;
# contrib/quickstart check runs it beside its lanes.
EXTRA_DIST += \
	tests/dvb/check-dvb.sh \
	tests/dvb/fakedvb/Kbuild \
	tests/dvb/fakedvb/adapter.c \
	tests/dvb/fakedvb/fakedvb.h \
	tests/dvb/fakedvb/frontend.c \
	tests/dvb/fakedvb/packets.c \
	tests/dvb/fakedvb/slots.c \
	tests/dvb/guest-tuner.sh \
	tests/dvb/lanes/cam.sh \
	tests/dvb/lanes/driver.sh \
	tests/dvb/lanes/faults.sh \
	tests/dvb/lanes/guest-lib.sh \
	tests/dvb/lanes/hotplug.sh \
	tests/dvb/lanes/peers.sh \
	tests/dvb/lanes/record.sh \
	tests/dvb/lanes/scans.sh \
	tests/dvb/lanes/slots.sh \
	tests/dvb/lanes/stuck.sh \
	tests/dvb/lanes/tuning.sh \
	tests/dvb/mux-file.mjs \
	tests/dvb/prep.sh \
	tests/dvb/same-bytes.mjs \
	tests/dvb/vmrun.sh
check_PROGRAMS += tests/dvb/dvbif tests/dvb/dvbwait tests/dvb/fakecam \
	tests/dvb/tsfeed
tests_dvb_dvbif_LDADD =
tests_dvb_dvbwait_LDADD =
tests_dvb_fakecam_SOURCES = tests/dvb/fakecam.c \
	tests/unit/worker/adapter/ci/fake_cam.c \
	tests/unit/worker/adapter/ci/fake_cam.h
tests_dvb_fakecam_LDADD =
tests_dvb_tsfeed_LDADD =

dvb_programs = sluice sluice-worker sluice-worker-net tests/dvb/dvbif \
	tests/dvb/dvbwait tests/dvb/fakecam tests/dvb/tsfeed
# 0: packages that are missing are not installed, and the test is skipped.
DVB_INSTALL = 1
check-dvb: $(dvb_programs)
	srcdir='$(abs_srcdir)' builddir='$(abs_builddir)' NODE='$(NODE)' \
		DVB_INSTALL='$(DVB_INSTALL)' bash $(srcdir)/tests/dvb/check-dvb.sh
.PHONY: check-dvb
