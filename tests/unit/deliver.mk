# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
deliver_tests = \
	tests/unit/deliver/test_deliver_feed \
	tests/unit/deliver/test_deliver_http \
	tests/unit/deliver/test_deliver_slow \
	tests/unit/deliver/test_deliver_tls \
	tests/unit/deliver/test_lag \
	tests/unit/deliver/test_mount_table \
	tests/unit/deliver/test_roster \
	tests/component/test_deliver_role
check_PROGRAMS += $(deliver_tests)
TESTS += $(deliver_tests)
deliver_rig = tests/unit/deliver/rig.c tests/unit/deliver/rig.h
tests_unit_deliver_test_deliver_feed_SOURCES = \
	tests/unit/deliver/test_deliver_feed.c $(deliver_rig)
tests_unit_deliver_test_deliver_feed_LDADD = $(worker_libs)
tests_unit_deliver_test_deliver_http_SOURCES = \
	tests/unit/deliver/test_deliver_http.c $(deliver_rig)
tests_unit_deliver_test_deliver_http_LDADD = $(worker_libs)
tests_unit_deliver_test_deliver_slow_SOURCES = \
	tests/unit/deliver/test_deliver_slow.c $(deliver_rig)
tests_unit_deliver_test_deliver_slow_LDADD = $(worker_libs)
tests_unit_deliver_test_deliver_tls_SOURCES = \
	tests/unit/deliver/test_deliver_tls.c $(deliver_rig)
tests_unit_deliver_test_deliver_tls_LDADD = $(worker_libs)
tests_unit_deliver_test_lag_LDADD = $(worker_libs)
tests_unit_deliver_test_mount_table_LDADD = $(worker_libs)
tests_unit_deliver_test_roster_LDADD = $(worker_libs)
tests_component_test_deliver_role_SOURCES = \
	tests/component/test_deliver_role.c \
	tests/component/rig.c tests/component/rig.h \
	tests/component/worker_rig.c tests/component/worker_rig.h
tests_component_test_deliver_role_LDADD = $(unit_libs)
endif
