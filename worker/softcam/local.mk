# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/softcam/cam_client.c worker/softcam/cam_client.h \
	worker/softcam/cam_session.c worker/softcam/cam_session.h \
	worker/softcam/card.c worker/softcam/card.h \
	worker/softcam/dial.c worker/softcam/dial.h \
	worker/softcam/ecm_table.c worker/softcam/ecm_table.h \
	worker/softcam/newcamd.c worker/softcam/newcamd.h \
	worker/softcam/role.c
