# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += \
	contrib/check-style.sh \
	contrib/make-demo-clip \
	contrib/quickstart
TESTS += contrib/check-style.sh
