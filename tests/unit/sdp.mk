# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_sdp_tests = \
	tests/unit/sdp/test_announced \
	tests/unit/sdp/test_offer \
	tests/unit/sdp/test_sap_packet \
	tests/unit/sdp/test_sdp
check_PROGRAMS += $(unit_sdp_tests)
TESTS += $(unit_sdp_tests)
tests_unit_sdp_test_announced_LDADD = $(worker_libs)
tests_unit_sdp_test_offer_LDADD = $(worker_libs)
tests_unit_sdp_test_sap_packet_LDADD = $(worker_libs)
tests_unit_sdp_test_sdp_LDADD = $(worker_libs)
endif
