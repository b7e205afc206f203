# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/cas/ecm_packets.c worker/cas/ecm_packets.h \
	worker/cas/ecmg.c worker/cas/ecmg.h \
	worker/cas/ecmg_session.c worker/cas/ecmg_session.h \
	worker/cas/emm_packer.c worker/cas/emm_packer.h \
	worker/cas/emmg.c worker/cas/emmg.h \
	worker/cas/emmg_client.c worker/cas/emmg_client.h \
	worker/cas/role.c \
	worker/cas/simulcrypt.c worker/cas/simulcrypt.h \
	worker/cas/simulcrypt_conn.c worker/cas/simulcrypt_conn.h
