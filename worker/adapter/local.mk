# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/adapter/adapter_grants.c worker/adapter/adapter_grants.h \
	worker/adapter/address_source.c worker/adapter/address_source.h \
	worker/adapter/cam_source.c worker/adapter/cam_source.h \
	worker/adapter/program_pids.c worker/adapter/program_pids.h \
	worker/adapter/role.c \
	worker/adapter/satip_ports.c worker/adapter/satip_ports.h \
	worker/adapter/satip_source.c worker/adapter/satip_source.h \
	worker/adapter/slot_source.c worker/adapter/slot_source.h \
	worker/adapter/source.c worker/adapter/source.h \
	worker/adapter/t2mi_source.c worker/adapter/t2mi_source.h \
	worker/adapter/tuner_source.c worker/adapter/tuner_source.h \
	worker/adapter/wanted_pids.c worker/adapter/wanted_pids.h
