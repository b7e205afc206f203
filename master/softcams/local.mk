# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/softcams/softcam_list.c master/softcams/softcam_list.h \
	master/softcams/softcam_pass.c master/softcams/softcam_state.h
