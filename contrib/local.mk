# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += \
	.ci/run \
	contrib/check-lanes.sh \
	contrib/check-style.sh \
	contrib/folder-order \
	contrib/lanes.sh \
	contrib/make-demo-clip \
	contrib/progress.sh \
	contrib/quickstart \
	contrib/reproducible
if !SANITIZERS
TESTS += contrib/check-lanes.sh contrib/check-style.sh
endif
dist_bashcompletion_DATA = contrib/completion/sluicectl
