# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_tls_tests = \
	tests/unit/tls/test_ticket_keys \
	tests/unit/tls/test_tls_server
check_PROGRAMS += $(unit_tls_tests)
TESTS += $(unit_tls_tests)
tests_unit_tls_test_ticket_keys_LDADD = libworkertls.a $(unit_libs) \
	$(SSL_LIBS)
tests_unit_tls_test_tls_server_SOURCES = tests/unit/tls/test_tls_server.c \
	tests/component/pem.c tests/component/pem.h
tests_unit_tls_test_tls_server_LDADD = libworkertls.a $(unit_libs) \
	$(SSL_LIBS)
endif
