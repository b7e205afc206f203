# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/core/confine.c worker/core/confine.h \
	worker/core/grants.c \
	worker/core/hidden.c worker/core/hidden.h \
	worker/core/kernel_tls.c worker/core/kernel_tls.h \
	worker/core/link_record.c worker/core/link_record.h \
	worker/core/private.c worker/core/private.h \
	worker/core/sandbox.c worker/core/sandbox.h \
	worker/core/syscalls.c worker/core/syscalls.h \
	worker/core/worker.c worker/core/worker.h
