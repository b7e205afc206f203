/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/cam_source.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/adapter/ci/ci_device.h"
#include "worker/adapter/tuner_source.h"
#include "worker/ts/pmt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cam_source {
	const struct dvb_ops *ops;
	void *ctx;
	struct ci_place place; /* device and module as configured; adapter:
				* number of the last adapter, or CAM_GONE */
	bool used;             /* cam_source_want() was called: the device may
				* be opened */
	struct msg_adapter_cam wanted;
	uint16_t carrier;      /* PID set by cam_source_carry(); 0: none */
	struct ca_programs *programs;
	bool changed;          /* `wanted' or `carrier' has changed since the
				* programs were collected */
	uint32_t psi_changes;  /* psi_changes() when the programs were
				* collected */
	struct ci_device *slots;
	/* revision of each slot in its last report */
	uint32_t taken[CI_SLOTS_MAX];
	bool shown[CI_SLOTS_MAX]; /* the last report to the master names this
				   * slot as one that exists */
	/* error of the device in the last report; "": none */
	struct errmsg taken_error;
	bool afresh;           /* cam_source_take() reports all slots again */
	struct ci_view view;
	struct errmsg error;   /* error in the report of one slot */
	enum ci_state logged[CI_SLOTS_MAX];
};

struct cam_source *cam_source_new(const struct tuner_spec *spec,
				  const struct dvb_ops *ops, void *ctx)
{
	struct cam_source *c = xcalloc(1, sizeof *c);

	c->ops = ops;
	c->ctx = ctx;
	c->place.adapter = -1;
	c->programs = xcalloc(1, sizeof *c->programs);
	cam_source_set(c, spec);
	return c;
}

void cam_source_free(struct cam_source **pc)
{
	struct cam_source *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	ci_device_free(&c->slots);
	free(c->programs);
	free(c);
}

void cam_source_set(struct cam_source *c, const struct tuner_spec *spec)
{
	struct ci_config module = {
		.limit = spec->ca.limit,
		.whole = spec->ca.mode == CA_MODE_LIST,
		.delay_ms = spec->ca.delay_s * 1000,
	};

	if (c == NULL)
		return;
	if (spec->device == c->place.device &&
	    module.limit == c->place.module.limit &&
	    module.whole == c->place.module.whole &&
	    module.delay_ms == c->place.module.delay_ms)
		return;
	c->place.device = spec->device;
	c->place.module = module;
	if (c->slots != NULL)
		ci_device_move(c->slots, &c->place);
}

void cam_source_carry(struct cam_source *c, uint16_t pid)
{
	if (c == NULL || c->carrier == pid)
		return;
	c->carrier = pid;
	c->changed = true;
}

void cam_source_want(struct cam_source *c, const struct msg_adapter_cam *wanted)
{
	if (c == NULL)
		return;
	c->used = true;
	c->wanted = *wanted;
	c->changed = true;
	c->afresh = true;
}

/* --- programs --- */

static bool is_wanted(const struct msg_adapter_cam *wanted, uint16_t number)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->programs[i] == number)
			return true;
	return false;
}

static void add(struct ca_programs *to, uint16_t number,
		const struct psi_program *p)
{
	struct ca_program *program = &to->list[to->n];

	if (to->n == CA_PROGRAMS_MAX)
		return;
	to->n++;
	program->number = number;
	program->len = 0;
	if (p == NULL || p->pmt.data == NULL ||
	    p->pmt.len > CA_PMT_SECTION_MAX)
		return;
	program->len = (uint16_t)p->pmt.len;
	memcpy(program->section, p->pmt.data, p->pmt.len);
}

static bool lists_pid(const struct psi_program *p, uint16_t pid)
{
	struct pmt pmt;

	if (p->pmt.data == NULL ||
	    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return false;
	for (size_t i = 0; i < pmt.n_streams; i++)
		if (pmt.streams[i].pid == pid)
			return true;
	return false;
}

/* Collects the programs for the CAM: those that list the PID of
 * cam_source_carry(), or without it those that are wanted. */
static void collect(struct cam_source *c, const struct psi *psi)
{
	const struct msg_adapter_cam *wanted = &c->wanted;
	const struct psi_program *list;
	size_t n = psi_programs(psi, &list);
	bool carried = c->carrier != 0, all = !carried && is_wanted(wanted, 0);

	c->programs->n = 0;
	for (size_t i = 0; carried && i < n && wanted->n > 0; i++)
		if (list[i].number != 0 && lists_pid(&list[i], c->carrier))
			add(c->programs, list[i].number, &list[i]);
	/* programs that are wanted by number come first, in the order of
	 * `wanted'; with 0 in `wanted', all other programs follow */
	for (size_t i = 0; !carried && i < wanted->n; i++)
		if (wanted->programs[i] != 0)
			add(c->programs, wanted->programs[i],
			    psi_program_find(psi, wanted->programs[i]));
	for (size_t i = 0; all && i < n; i++)
		if (list[i].number != 0 && !is_wanted(wanted, list[i].number))
			add(c->programs, list[i].number, &list[i]);
	c->programs->revision++;
	c->psi_changes = psi_changes(psi);
	c->changed = false;
}

void cam_source_second(struct cam_source *c, const struct psi *psi, int adapter)
{
	int err = 0;

	if (c == NULL || !c->used)
		return;
	/* while a tuner is closed and opened again, its modules keep working */
	if (adapter != CAM_KEEPS && adapter != c->place.adapter) {
		c->place.adapter = adapter;
		if (c->slots != NULL)
			ci_device_move(c->slots, &c->place);
	}
	if (c->slots == NULL && c->place.adapter >= 0) {
		c->slots = ci_device_new(&(struct ci_device_config){
			.root = DVB_FOLDER, .place = c->place, .ops = c->ops,
			.ctx = c->ctx }, &err);
		if (c->slots == NULL)
			log_error("adapter", "cannot start a thread for the "
				  "CAM: %s", strerror(-err));
		c->changed = true;
	}
	if (c->slots == NULL)
		return;
	if (c->changed || c->psi_changes != psi_changes(psi)) {
		collect(c, psi);
		ci_device_want(c->slots, c->programs);
	}
}

/* --- reports --- */

static const char *const program_states[] = {
	[CA_STATE_WAITING] = "waiting",
	[CA_STATE_SENT] = "descrambled",
	[CA_STATE_NO_PMT] = "no PMT",
	[CA_STATE_CLEAR] = "not scrambled",
	[CA_STATE_FOREIGN] = "the CAM has none of its CAIDs",
	[CA_STATE_OVER] = "beyond ca_limit",
};

static const char *describe(const struct ci_view_program *p)
{
	if (p->state != CA_STATE_SENT)
		return program_states[p->state];
	switch (p->answer) {
	case CA_REPLY_NO_RIGHT:
		return "no entitlement";
	case CA_REPLY_FAILED:
		return "not possible: technical reasons";
	case CA_REPLY_PURCHASE:
		return "possible after a purchase";
	case CA_REPLY_TECHNICAL:
		return "possible after a dialogue";
	default:
		return program_states[CA_STATE_SENT];
	}
}

/* Writes the most severe error of the slot. */
static void find_error(const struct ci_view *v, struct errmsg *ret)
{
	size_t over = 0;

	for (size_t i = 0; i < v->n_programs; i++)
		over += v->programs[i].state == CA_STATE_OVER;
	if (v->error.text[0] != '\0')
		*ret = v->error;
	else if (v->state == CI_EMPTY && v->n_programs > 0)
		errmsg_set(ret, "there is no CAM in the slot");
	else if (v->state == CI_READY && v->ids.n == 0)
		errmsg_set(ret, "the CAM reports no CAID: check that a smart "
			   "card is inserted");
	else if (over > 0)
		errmsg_set(ret, "ca_limit is reached: %zu programs are not "
			   "sent to the CAM", over);
	else if (v->refused.text[0] != '\0')
		*ret = v->refused;
	else if (v->low_level)
		errmsg_set(ret, "the menu of the CAM needs the low-level MMI, "
			   "which is not supported");
	else if (v->plus)
		errmsg_set(ret, "CI Plus is refused, because it needs a "
			   "licensed host: programs that it protects stay "
			   "scrambled");
	else
		ret->text[0] = '\0';
}

static void fill_menu(const struct ci_mmi *m, struct msg_cam_menu *ret)
{
	static const char *const kinds[] = {
		[MMI_NONE] = "",       [MMI_MENU] = "menu",
		[MMI_LIST] = "list",   [MMI_QUESTION] = "question",
	};
	bool open = m->kind != MMI_NONE;

	ret->kind = kinds[m->kind];
	ret->title = open ? m->title : "";
	ret->subtitle = open ? m->subtitle : "";
	ret->bottom = open ? m->bottom : "";
	ret->blind = m->kind == MMI_QUESTION && m->blind;
	ret->length = m->kind == MMI_QUESTION ? m->length : 0;
	ret->n = m->kind == MMI_MENU || m->kind == MMI_LIST ? m->n : 0;
	ret->more = ret->n > 0 ? (uint32_t)m->more : 0;
	for (size_t i = 0; i < ret->n; i++)
		ret->items[i] = m->items[i];
}

static void fill(struct cam_source *c, unsigned slot,
		 struct msg_adapter_slot *ret)
{
	const struct ci_view *v = &c->view;

	_Static_assert((int)MSG_CAM_PROGRAMS >= (int)CA_PROGRAMS_MAX &&
		       (int)MSG_CAM_IDS >= (int)CA_IDS_MAX &&
		       (int)MSG_CAM_ITEMS >= (int)MMI_ITEMS_MAX &&
		       (int)MSG_CAM_SLOTS >= (int)CI_SLOTS_MAX &&
		       (int)MSG_CAM_TEXT >= (int)MMI_ANSWER_MAX,
		       "a message has all");
	find_error(v, &c->error);
	*ret = (struct msg_adapter_slot){
		.slot = slot,
		.state = ci_state_names[v->state],
		.error = c->error.text,
		.name = v->named ? v->name : "",
		.manufacturer = v->manufacturer,
		.code = v->code,
		.resets = v->resets,
		.ciplus = v->plus,
		.n_caids = v->ids.n,
		.n_programs = v->n_programs,
	};
	memcpy(ret->caids, v->ids.list, v->ids.n * sizeof *v->ids.list);
	for (size_t i = 0; i < v->n_programs; i++)
		ret->programs[i] = (struct msg_cam_program){
			v->programs[i].number, describe(&v->programs[i]) };
	fill_menu(&v->mmi, &ret->menu);
}

static void log_state(struct cam_source *c, unsigned slot)
{
	const struct ci_view *v = &c->view;

	if (v->state == c->logged[slot])
		return;
	c->logged[slot] = v->state;
	if (v->state == CI_SILENT || v->state == CI_ERROR)
		log_warning("adapter", "CAM in slot %u: %s: the CAM is being "
			    "reset", slot,
			    v->error.text);
	else if (v->state == CI_READY)
		log_info("adapter", "CAM in slot %u: %s is ready", slot,
			 v->named ? v->name : "it");
	else if (v->state == CI_EMPTY)
		log_info("adapter", "CAM in slot %u: removed", slot);
}

/* Notes the error of the device; true: it is another error than before. */
static bool take_error(struct cam_source *c)
{
	struct errmsg error;

	ci_device_error(c->slots, &error);
	if (errmsg_is_alike(error.text, c->taken_error.text))
		return false;
	c->taken_error = error;
	/* most tuners have no slot, so a warning needs wanted programs */
	if (error.text[0] != '\0' && c->wanted.n > 0)
		log_warning("adapter", "CAM: %s", error.text);
	return true;
}

bool cam_source_take(struct cam_source *c, unsigned slot,
		     struct msg_adapter_slot *ret)
{
	bool news = false;
	uint32_t revision;

	if (c == NULL || c->slots == NULL || slot >= CI_SLOTS_MAX)
		return false;
	if (slot == 0) {
		news = take_error(c) || c->afresh;
		if (c->afresh)
			memset(c->taken, 0, sizeof c->taken);
		c->afresh = false;
	}
	revision = ci_device_revision(c->slots, slot);
	if (revision == 0) {
		/* the error of a device that cannot be used is reported as that
		 * of slot 0 if programs are wanted, and once as that of each
		 * slot that was reported before */
		if (!c->shown[slot] &&
		    (!news || c->taken_error.text[0] == '\0' ||
		     c->wanted.n == 0))
			return false;
		c->shown[slot] = false;
		c->taken[slot] = 0;
		c->view = (struct ci_view){ 0 };
		*ret = (struct msg_adapter_slot){
			.slot = slot, .state = "absent",
			.error = c->taken_error.text, .name = "" };
		fill_menu(&c->view.mmi, &ret->menu);
		return true;
	}
	if ((revision == c->taken[slot] && !news) ||
	    !ci_device_get(c->slots, slot, &c->view))
		return false;
	c->taken[slot] = c->view.revision;
	c->shown[slot] = true;
	log_state(c, slot);
	fill(c, slot, ret);
	if (c->taken_error.text[0] != '\0')
		ret->error = c->taken_error.text;
	return true;
}

void cam_source_act(struct cam_source *c, const struct msg_adapter_menu *menu)
{
	static const enum ci_action actions[] = {
		[CAM_MENU] = CI_ACT_MENU, [CAM_CHOICE] = CI_ACT_CHOICE,
		[CAM_TEXT] = CI_ACT_TEXT, [CAM_CANCEL] = CI_ACT_CANCEL,
		[CAM_CLOSE] = CI_ACT_CLOSE,
	};
	int r = -ENODEV;

	if (c != NULL && c->slots != NULL)
		r = ci_device_act(c->slots, menu->slot, actions[menu->action],
				  menu->choice, menu->text);
	if (r < 0)
		log_warning("adapter", "CAM in slot %u: a command for the menu "
			    "is dropped: %s", menu->slot,
			    r == -EBUSY ? "the CAM has not received the "
					  "previous one yet"
					: "the adapter has no such slot");
}
