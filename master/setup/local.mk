# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/setup/control_peers.c master/setup/control_peers.h \
	master/setup/control_socket.c master/setup/control_socket.h \
	master/setup/log_output.c master/setup/log_output.h \
	master/setup/log_settings.c master/setup/log_settings.h \
	master/setup/options.c master/setup/options.h \
	master/setup/sandbox_check.c master/setup/sandbox_check.h \
	master/setup/service_user.c master/setup/service_user.h \
	master/setup/seed_file.c master/setup/seed_file.h \
	master/setup/state_path.c master/setup/state_path.h \
	master/setup/write_roots.c master/setup/write_roots.h
