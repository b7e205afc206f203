# SPDX-License-Identifier: GPL-3.0-or-later
if HAVE_CRITERION
unit_address_tests = \
	tests/unit/common/test_address \
	tests/unit/proto/test_io_link \
	tests/unit/proto/test_io_rtp \
	tests/unit/proto/test_io_spec \
	tests/unit/proto/test_remux_options \
	tests/unit/proto/test_stream_spec
check_PROGRAMS += $(unit_address_tests)
TESTS += $(unit_address_tests)
tests_unit_common_test_address_LDADD = $(unit_libs)
tests_unit_proto_test_io_link_LDADD = $(unit_libs)
tests_unit_proto_test_io_rtp_LDADD = $(unit_libs)
tests_unit_proto_test_io_spec_LDADD = $(unit_libs)
tests_unit_proto_test_remux_options_LDADD = $(unit_libs)
tests_unit_proto_test_stream_spec_LDADD = $(unit_libs)

unit_config_tests = \
	tests/unit/master/api/test_adapters \
	tests/unit/master/api/test_api \
	tests/unit/master/api/test_categories \
	tests/unit/master/api/test_category_name \
	tests/unit/master/api/test_input_edit \
	tests/unit/master/api/test_output_groups \
	tests/unit/master/api/test_sections \
	tests/unit/master/api/test_announcements \
	tests/unit/master/api/test_scans \
	tests/unit/master/api/test_sessions \
	tests/unit/master/api/test_softcams \
	tests/unit/master/api/test_settings \
	tests/unit/master/api/test_stream_edit \
	tests/unit/master/config/test_check \
	tests/unit/master/config/test_check_addresses \
	tests/unit/master/config/test_check_places \
	tests/unit/master/config/test_check_stream \
	tests/unit/master/config/test_findings \
	tests/unit/master/config/test_config \
	tests/unit/master/config/test_document \
	tests/unit/master/config/test_reader \
	tests/unit/master/config/test_replace \
	tests/unit/master/config/test_rescue \
	tests/unit/master/config/test_revisions \
	tests/unit/master/config/test_save \
	tests/unit/master/config/test_slips \
	tests/unit/master/config/test_starts \
	tests/unit/master/test_file_budget \
	tests/unit/master/test_handover \
	tests/unit/master/test_log_file \
	tests/unit/master/test_log_settings \
	tests/unit/master/test_log_syslog \
	tests/unit/master/test_minute \
	tests/unit/master/test_options \
	tests/unit/master/test_proc \
	tests/unit/master/test_history \
	tests/unit/master/test_host_advice \
	tests/unit/master/test_queriers \
	tests/unit/master/test_status \
	tests/unit/master/test_status_alarm
check_PROGRAMS += $(unit_config_tests)
TESTS += $(unit_config_tests)
tests_unit_master_api_test_category_name_LDADD = $(master_libs)
tests_unit_master_api_test_input_edit_LDADD = $(master_libs)
tests_unit_master_api_test_stream_edit_LDADD = $(master_libs)
tests_unit_master_config_test_check_LDADD = $(master_libs)
tests_unit_master_config_test_check_addresses_LDADD = $(master_libs)
tests_unit_master_config_test_check_places_LDADD = $(master_libs)
tests_unit_master_config_test_check_stream_LDADD = $(master_libs)
tests_unit_master_config_test_findings_LDADD = $(master_libs)
tests_unit_master_config_test_config_LDADD = $(master_libs)
tests_unit_master_config_test_document_LDADD = $(master_libs)
tests_unit_master_config_test_reader_LDADD = $(master_libs)
tests_unit_master_config_test_reader_LDFLAGS = -Wl,--wrap=document_load
tests_unit_master_config_test_replace_LDADD = $(master_libs)
tests_unit_master_config_test_rescue_LDADD = $(master_libs)
tests_unit_master_config_test_revisions_LDADD = $(master_libs)
tests_unit_master_config_test_save_LDADD = $(master_libs)
tests_unit_master_config_test_slips_LDADD = $(master_libs)
tests_unit_master_config_test_starts_LDADD = $(master_libs)
tests_unit_master_test_file_budget_LDADD = $(master_libs)
tests_unit_master_test_handover_LDADD = $(master_libs)
tests_unit_master_test_log_file_LDADD = $(master_libs)
tests_unit_master_test_log_settings_LDADD = $(master_libs)
tests_unit_master_test_log_syslog_LDADD = $(master_libs)
tests_unit_master_test_minute_LDADD = $(master_libs)
tests_unit_master_test_options_LDADD = $(master_libs)
tests_unit_master_test_proc_LDADD = $(master_libs)
tests_unit_master_test_queriers_LDADD = $(master_libs)

# the fakes come before the libraries: what they define is not looked for
unit_fakes = tests/unit/master/fakes.c tests/unit/master/fakes.h
unit_world = tests/unit/master/api/world.c tests/unit/master/api/world.h \
	$(unit_fakes)
tests_unit_master_api_test_api_SOURCES = \
	tests/unit/master/api/test_api.c $(unit_world)
tests_unit_master_api_test_api_LDADD = $(master_libs)
tests_unit_master_api_test_sections_SOURCES = \
	tests/unit/master/api/test_sections.c $(unit_world)
tests_unit_master_api_test_sections_LDADD = $(master_libs)
tests_unit_master_api_test_adapters_SOURCES = \
	tests/unit/master/api/test_adapters.c $(unit_world)
tests_unit_master_api_test_adapters_LDADD = $(master_libs)
tests_unit_master_api_test_announcements_SOURCES = \
	tests/unit/master/api/test_announcements.c $(unit_world)
tests_unit_master_api_test_announcements_LDADD = $(master_libs)
tests_unit_master_api_test_categories_SOURCES = \
	tests/unit/master/api/test_categories.c $(unit_world)
tests_unit_master_api_test_categories_LDADD = $(master_libs)
tests_unit_master_api_test_output_groups_SOURCES = \
	tests/unit/master/api/test_output_groups.c $(unit_world)
tests_unit_master_api_test_output_groups_LDADD = $(master_libs)
tests_unit_master_api_test_scans_SOURCES = \
	tests/unit/master/api/test_scans.c $(unit_world)
tests_unit_master_api_test_scans_LDADD = $(master_libs)
tests_unit_master_api_test_sessions_SOURCES = \
	tests/unit/master/api/test_sessions.c $(unit_world)
tests_unit_master_api_test_sessions_LDADD = $(master_libs)
tests_unit_master_api_test_softcams_SOURCES = \
	tests/unit/master/api/test_softcams.c $(unit_world)
tests_unit_master_api_test_softcams_LDADD = $(master_libs)
tests_unit_master_api_test_settings_SOURCES = \
	tests/unit/master/api/test_settings.c $(unit_world)
tests_unit_master_api_test_settings_LDADD = $(master_libs)
tests_unit_master_test_host_advice_SOURCES = \
	tests/unit/master/test_host_advice.c $(unit_fakes)
tests_unit_master_test_host_advice_LDADD = $(master_libs)
tests_unit_master_test_history_SOURCES = \
	tests/unit/master/test_history.c $(unit_fakes)
tests_unit_master_test_history_LDADD = $(master_libs)
tests_unit_master_test_status_SOURCES = \
	tests/unit/master/test_status.c $(unit_fakes)
tests_unit_master_test_status_LDADD = $(master_libs)
tests_unit_master_test_status_alarm_LDADD = $(master_libs)
endif
