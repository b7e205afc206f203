# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/ca/ca_ask.c \
	worker/ca/ca_card.c worker/ca/ca_card.h \
	worker/ca/ca_plan.c \
	worker/ca/ca_refs.c worker/ca/ca_refs.h \
	worker/ca/ca_stage.c worker/ca/ca_stage.h \
	worker/ca/ca_stage_state.h \
	worker/ca/delay.c worker/ca/delay.h
