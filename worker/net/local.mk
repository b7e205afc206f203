# SPDX-License-Identifier: GPL-3.0-or-later
sluice_worker_net_SOURCES += \
	worker/net/cxx_memory.c worker/net/cxx_memory.h \
	worker/net/http_input.c \
	worker/net/np_output.c \
	worker/net/refusal_log.c worker/net/refusal_log.h
