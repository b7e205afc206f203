# SPDX-License-Identifier: GPL-3.0-or-later
# A program of its own: OpenSSL is for this role alone, and a shared library.
noinst_LIBRARIES += libworkertls.a
libworkertls_a_SOURCES = \
	worker/tls/tls_conn.c worker/tls/tls_conn.h \
	worker/tls/context.c worker/tls/context.h \
	worker/tls/credentials.c worker/tls/credentials.h \
	worker/tls/gather.c worker/tls/gather.h \
	worker/tls/role.c \
	worker/tls/tls_server.c worker/tls/tls_server.h \
	worker/tls/ticket_keys.c worker/tls/ticket_keys.h

libexec_PROGRAMS += sluice-worker-tls
sluice_worker_tls_SOURCES = worker/tls/main.c
sluice_worker_tls_LDADD = libworkertls.a libworker.a libproto.a libcommon.a \
	$(LIBEV_LIBS) $(JANSSON_LIBS) $(SSL_LIBS) $(SECCOMP_LIBS)
