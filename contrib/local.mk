# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += \
	.ci/run \
	contrib/check-style.sh \
	contrib/folder-order \
	contrib/make-demo-clip \
	contrib/quickstart \
	contrib/reproducible
TESTS += contrib/check-style.sh
dist_bashcompletion_DATA = contrib/completion/sluicectl
