# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_http_tests = \
	tests/unit/common/test_utf8 \
	tests/unit/http/test_client \
	tests/unit/http/test_hub \
	tests/unit/http/test_peers \
	tests/unit/http/test_server \
	tests/unit/http/test_server_faults \
	tests/unit/http/test_server_tls \
	tests/unit/proto/test_http_request \
	tests/unit/proto/test_http_target \
	tests/unit/proto/test_http_vectors \
	tests/unit/proto/test_http_wipe \
	tests/unit/proto/test_ws_frame
check_PROGRAMS += $(unit_http_tests)
TESTS += $(unit_http_tests)
tests_unit_common_test_utf8_LDADD = $(unit_libs)
tests_unit_http_test_client_LDADD = $(master_libs)
tests_unit_http_test_hub_SOURCES = \
	tests/unit/http/test_hub.c \
	tests/unit/http/client.c tests/unit/http/client.h
tests_unit_http_test_hub_LDADD = $(master_libs)
tests_unit_http_test_peers_LDADD = $(master_libs)
http_site = \
	tests/unit/http/client.c tests/unit/http/client.h \
	tests/unit/http/site.c tests/unit/http/site.h
tests_unit_http_test_server_SOURCES = \
	tests/unit/http/test_server.c $(http_site)
tests_unit_http_test_server_LDADD = $(master_libs)
tests_unit_http_test_server_faults_SOURCES = \
	tests/unit/http/test_server_faults.c $(http_site)
tests_unit_http_test_server_faults_LDADD = $(master_libs)
tests_unit_http_test_server_tls_SOURCES = \
	tests/unit/http/test_server_tls.c $(http_site)
tests_unit_http_test_server_tls_LDADD = $(master_libs)
tests_unit_proto_test_http_request_LDADD = $(unit_libs)
tests_unit_proto_test_http_target_LDADD = $(unit_libs)
tests_unit_proto_test_http_vectors_LDADD = $(unit_libs)
tests_unit_proto_test_http_wipe_LDADD = $(unit_libs)
tests_unit_proto_test_ws_frame_LDADD = $(unit_libs)
endif
