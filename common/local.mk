# SPDX-License-Identifier: GPL-3.0-or-later
# libcommon: of every program.  libservice: of programs that serve.
noinst_LIBRARIES += libcommon.a libservice.a
libcommon_a_SOURCES =
libservice_a_SOURCES =
include common/account/local.mk
include common/base/local.mk
include common/document/local.mk
include common/http/local.mk
include common/log/local.mk
include common/loop/local.mk
include common/supervise/local.mk
include common/ws/local.mk
