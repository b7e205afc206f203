# SPDX-License-Identifier: GPL-3.0-or-later
# Tuners on the DVB API of a real kernel, in a virtual machine: make check-dvb.
# It needs root, packages of Debian and some minutes, so make check has only the
# tests with fake devices.
EXTRA_DIST += \
	tests/dvb/check-dvb.sh \
	tests/dvb/fakedvb.c \
	tests/dvb/guest-tuner.sh \
	tests/dvb/mux-file.mjs \
	tests/dvb/prep.sh \
	tests/dvb/same-bytes.mjs \
	tests/dvb/vmrun.sh
check_PROGRAMS += tests/dvb/dvbif tests/dvb/fakecam tests/dvb/tsfeed
tests_dvb_dvbif_LDADD =
tests_dvb_fakecam_SOURCES = tests/dvb/fakecam.c \
	tests/unit/worker/adapter/ci/fake_cam.c \
	tests/unit/worker/adapter/ci/fake_cam.h
tests_dvb_fakecam_LDADD =
tests_dvb_tsfeed_LDADD =

dvb_programs = sluice sluice-worker sluice-worker-net tests/dvb/dvbif \
	tests/dvb/fakecam tests/dvb/tsfeed
check-dvb: $(dvb_programs)
	srcdir='$(abs_srcdir)' builddir='$(abs_builddir)' NODE='$(NODE)' \
		$(SHELL) $(srcdir)/tests/dvb/check-dvb.sh
.PHONY: check-dvb
