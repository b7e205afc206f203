# SPDX-License-Identifier: GPL-3.0-or-later
# Viewers whose TLS records the kernel makes, on a real kernel with its module,
# in a virtual machine: make check-ktls.  It needs what check-dvb needs.
EXTRA_DIST += tests/ktls/check-ktls.sh tests/ktls/guest-ktls.sh

ktls_programs = sluice sluice-worker sluice-worker-tls tests/helpers/ts-judge
check-ktls: $(ktls_programs)
	srcdir='$(abs_srcdir)' builddir='$(abs_builddir)' NODE='$(NODE)' \
		DVB_INSTALL=1 $(SHELL) $(srcdir)/tests/ktls/check-ktls.sh
.PHONY: check-ktls
