# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/adapter/dvb/dvb_device.c worker/adapter/dvb/dvb_device.h \
	worker/adapter/dvb/dvb_ops.c worker/adapter/dvb/dvb_ops.h \
	worker/adapter/dvb/dvb_place.c worker/adapter/dvb/dvb_place.h \
	worker/adapter/dvb/dvb_props.c worker/adapter/dvb/dvb_props.h \
	worker/adapter/dvb/dvb_sec.c worker/adapter/dvb/dvb_sec.h \
	worker/adapter/dvb/dvb_signal.c worker/adapter/dvb/dvb_signal.h \
	worker/adapter/dvb/dvb_tuner.c worker/adapter/dvb/dvb_tuner.h \
	worker/adapter/dvb/hotplug.c worker/adapter/dvb/hotplug.h \
	worker/adapter/dvb/tuner_watch.c worker/adapter/dvb/tuner_watch.h
