# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/auth/access.c master/auth/access.h \
	master/auth/auth.c master/auth/auth.h \
	master/auth/caller.h \
	master/auth/client_address.c master/auth/client_address.h \
	master/auth/credential.c master/auth/credential.h \
	master/auth/first_start.c master/auth/first_start.h \
	master/auth/gate.c master/auth/gate.h \
	master/auth/lockout.c master/auth/lockout.h \
	master/auth/origin.c master/auth/origin.h \
	master/auth/secret.c master/auth/secret.h \
	master/auth/session.c master/auth/session.h \
	master/auth/session_file.c master/auth/session_file.h \
	master/auth/user.c master/auth/user.h \
	master/auth/verified.c master/auth/verified.h \
	master/auth/ws_token.c master/auth/ws_token.h
