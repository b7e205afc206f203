# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libmaster.a
libmaster_a_SOURCES = \
	master/file_budget.c master/file_budget.h \
	master/master.c master/master.h \
	master/renewal.c master/renewal.h \
	master/renewal_file.c master/renewal_file.h \
	master/reread.c master/reread.h \
	master/watchdog.c master/watchdog.h

include master/api/local.mk
include master/auth/local.mk
include master/config/local.mk
include master/http/local.mk
include master/setup/local.mk
include master/softcams/local.mk
include master/status/local.mk
include master/streams/local.mk
include master/viewers/local.mk

sbin_PROGRAMS += sluice
sluice_SOURCES = master/main.c
sluice_LDADD = libmaster.a libservice.a libproto.a libcommon.a \
	$(LLHTTP_LINK) $(WSLAY_LIBS) $(LIBEV_LIBS) $(JANSSON_LIBS) \
	$(CRYPTO_LIBS) $(CRYPT_LIBS) $(SYSTEMD_LIBS) $(ZLIB_LIBS) -lpthread
