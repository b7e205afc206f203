# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/adapter/ci/ca_list.c worker/adapter/ci/ca_list.h \
	worker/adapter/ci/ca_pmt.c worker/adapter/ci/ca_pmt.h \
	worker/adapter/ci/ci_bytes.h \
	worker/adapter/ci/ci_device.c worker/adapter/ci/ci_device.h \
	worker/adapter/ci/ci_link.c worker/adapter/ci/ci_link.h \
	worker/adapter/ci/ci_mmi.c worker/adapter/ci/ci_mmi.h \
	worker/adapter/ci/ci_module.c worker/adapter/ci/ci_module.h \
	worker/adapter/ci/ci_objects.c \
	worker/adapter/ci/ci_session.c worker/adapter/ci/ci_session.h \
	worker/adapter/ci/ci_stream.c worker/adapter/ci/ci_stream.h
