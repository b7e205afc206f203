# SPDX-License-Identifier: GPL-3.0-or-later
libservice_a_SOURCES += \
	common/account/client_address.c common/account/client_address.h \
	common/account/credential.c common/account/credential.h \
	common/account/lockout.c common/account/lockout.h \
	common/account/origin.c common/account/origin.h \
	common/account/own_host.c common/account/own_host.h \
	common/account/password_cache.c common/account/password_cache.h \
	common/account/secret.c common/account/secret.h \
	common/account/session.c common/account/session.h \
	common/account/session_file.c common/account/session_file.h \
	common/account/user.c common/account/user.h \
	common/account/ws_token.c common/account/ws_token.h
