# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/viewers/backend_cache.c master/viewers/backend_cache.h \
	master/viewers/backend_proc.c master/viewers/backend_proc.h \
	master/viewers/closed_sessions.c master/viewers/closed_sessions.h \
	master/viewers/denial_log.c master/viewers/denial_log.h \
	master/viewers/ip_set.c master/viewers/ip_set.h \
	master/viewers/secure_token.c master/viewers/secure_token.h \
	master/viewers/surplus.c master/viewers/surplus.h \
	master/viewers/token_index.c master/viewers/token_index.h \
	master/viewers/viewer_credential.c \
	master/viewers/viewer_credential.h \
	master/viewers/viewer_guest.c master/viewers/viewer_guest.h \
	master/viewers/viewer_list.c \
	master/viewers/viewer_question.c \
	master/viewers/viewer_preview.c \
	master/viewers/viewer_rules.c master/viewers/viewer_rules.h \
	master/viewers/viewer_table.c master/viewers/viewer_table.h \
	master/viewers/viewers.c master/viewers/viewers.h \
	master/viewers/viewers_state.h
