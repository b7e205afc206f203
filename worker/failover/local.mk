# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/failover/damper.c worker/failover/damper.h \
	worker/failover/failover.c worker/failover/failover.h \
	worker/failover/failover_state.h worker/failover/failover_watch.c \
	worker/failover/loss_window.h worker/failover/silence.h
