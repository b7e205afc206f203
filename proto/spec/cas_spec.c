/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/cas_spec.h"

#include "common/base/hex.h"
#include "proto/spec/field.h"

#include <errno.h>
#include <string.h>

enum {
	PID_FIRST = 0x20, /* lower PIDs are reserved for tables */
	PID_NULL = 0x1fff,
	SUPER_ID_DIGITS = 8,
	/* The first and the last CA_system_id of the systems whose ECM streams
	 * are numbered from 1. */
	COUNTS_FROM_1 = 0x4ab0,
	COUNTS_FROM_1_LAST = 0x4abf,
};

/* Reads hexadecimal digits; each member with this hook is a struct cas_data. */
static int read_data(const struct field *f, const char *key, const char *text,
		     void *s, struct errmsg *error)
{
	struct cas_data *d = (struct cas_data *)((char *)s + f->offset);
	size_t max = f->max > 0 ? (size_t)f->max : sizeof d->bytes;
	size_t len = strlen(text);

	(void)key;
	if (len % 2 != 0 || len / 2 > max ||
	    !hex_read(text, d->bytes, len / 2))
		return errmsg_fail(error, -EINVAL,
				   "is not at most %zu bytes in hexadecimal "
				   "digits", max);
	d->len = len / 2;
	return 0;
}

/* Reads 8 hexadecimal digits.  Ignores a text of another length. */
static int read_super_id(const struct field *f, const char *key,
			 const char *text, void *s, struct errmsg *error)
{
	struct cas_entry *e = s;
	uint8_t bytes[SUPER_ID_DIGITS / 2];

	(void)f, (void)key;
	if (strlen(text) != SUPER_ID_DIGITS)
		return 0;
	if (!hex_read(text, bytes, sizeof bytes))
		return errmsg_fail(error, -EINVAL,
				   "is not 8 hexadecimal digits");
	e->super_cas_id = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
			  (uint32_t)bytes[2] << 8 | bytes[3];
	return 0;
}

/* Reads "udp"; any other text stands for TCP. */
static int read_protocol(const struct field *f, const char *key,
			 const char *text, void *s, struct errmsg *error)
{
	(void)f, (void)key, (void)error;
	((struct cas_entry *)s)->emmg_udp = strcmp(text, "udp") == 0;
	return 0;
}

static int read_entropy(const struct field *f, const char *key,
			const char *text, void *s, struct errmsg *error)
{
	struct cas_entry *e = s;

	(void)f, (void)key;
	if (strcmp(text, "48") != 0 && strcmp(text, "64") != 0)
		return errmsg_fail(error, -EINVAL, "\"%.16s\" is not 48 or 64",
				   text);
	e->entropy = strcmp(text, "64") == 0 ? 64 : 48;
	return 0;
}

static const char *const lost_names[] = {
	[CAS_LOST_KEEP] = "keep",
	[CAS_LOST_CLEAR] = "clear",
	[CAS_LOST_STOP] = "stop",
	NULL,
};

static const struct field_hook data_hook = { "string", read_data, NULL, NULL };
static const struct field_hook super_id_hook = { "string", read_super_id, NULL,
						 NULL };
static const struct field_hook protocol_hook = { "string", read_protocol, NULL,
						 NULL };
static const struct field_hook entropy_hook = { "integer", read_entropy, NULL,
						NULL };

#define AT(member) FIELD_AT(struct cas_entry, member)
#define BY(hook, member) FIELD_BY(&hook, struct cas_entry, member)
static const struct field entry_rows[] = {
	{ "id", AT(id), .help = "Id of the system." },
	{ "name", .type = FIELD_NONE, .help = "Name of the system, for display."
					      },
	{ "super_cas_id", BY(super_id_hook, super_cas_id),
	  .help = "CA_system_id and CA_subsystem_id, 8 hex digits." },
	{ "first_stream_id", .type = FIELD_NONE,
	  .help = "If present, ECM streams are numbered from 1." },
	{ "ecmg_channel_id", AT(channel_id),
	  .help = "Number of the channel at the ECM generator." },
	{ "ecmg_host", AT(host), .help = "Host of the ECM generator." },
	{ "ecmg_port", AT(port), .min = 1,
	  .help = "Port of the ECM generator." },
	{ "ecmg_host2", AT(host2),
	  .help = "Second ECM generator, used while the first is not "
		  "connected." },
	{ "ecmg_port2", AT(port2), .min = 1, .help = "Port of the second ECM "
						     "generator." },
	{ "ecmg_version", AT(version), .min = 2, .max = 3, .initial = 2,
	  .help = "Version of the SimulCrypt protocol." },
	{ "ecmg_cp", AT(period_s), .min = 1, .max = 3600,
	  .initial = CAS_PERIOD_DEFAULT_S, .unit = "s",
	  .help = "Time between two control words." },
	{ "ecmg_lost", AT(lost), .choices = lost_names,
	  .help = "If no ECM arrives: keep the last control word, send in "
		  "clear, or stop the components." },
	{ "ecmg_lost_time", AT(lost_after_s), .max = 86400,
	  .initial = CAS_LOST_DEFAULT_S, .unit = "s",
	  .help = "How long the last control word is used before ecmg_lost "
		  "applies." },
	{ "cw_entropy", BY(entropy_hook, entropy),
	  .help = "Random bits of a control word: 48 or 64." },
	{ "emmg_protocol", BY(protocol_hook, emmg_udp),
	  .help = "Protocol of the EMM generator: udp; any other value is "
		  "TCP." },
	{ "emmg_port", AT(emmg_port), .help = "Port on which the EMM generator "
					      "connects." },
	{ "emmg_bitrate", AT(emmg_kbps), .min = 1, .max = 60000,
	  .initial = CAS_EMM_DEFAULT_KBPS, .unit = "kbit/s",
	  .help = "Highest rate of all EMMs together." },
	{ "emm_pid", AT(emm_pid), .max = PID_NULL,
	  .help = "PID of EMMs; 0 or 8191: none are sent." },
	{ "emm_data", BY(data_hook, emm_data), .max = CAS_DATA_MAX,
	  .help = "Private data of the CA descriptor in the CAT." },
	{ "emm_clone", AT(emm_clone), .help = "EMMs go to all streams." },
};
#undef AT
#undef BY

const struct field_table cas_entry_fields =
	FIELD_TABLE(struct cas_entry, entry_rows, .flags = FIELD_LOOSE);

#define AT(member) FIELD_AT(struct cas_link, member)
#define BY(hook, member) FIELD_BY(&hook, struct cas_link, member)
static const struct field link_rows[] = {
	{ "cas_id", AT(id), .help = "Id of an entry of cas." },
	{ "ecm_pid", AT(ecm_pid), .max = PID_NULL - 1,
	  .help = "PID of the ECMs." },
	{ "ecm_data", BY(data_hook, ecm_data), .max = CAS_DATA_MAX,
	  .help = "Private data of the CA descriptor in the PMT." },
	{ "ac", BY(data_hook, ac), .max = CAS_AC_MAX,
	  .help = "Access criteria of the ECMs." },
};

const struct field_table cas_list_fields =
	FIELD_TABLE(struct cas_link, link_rows, .flags = FIELD_LOOSE);

int cas_entry_read(const json_t *entry, struct cas_entry *ret,
		   struct errmsg *error)
{
	static const char *const required[] = { "ecmg_channel_id", "ecmg_host",
						"ecmg_port" };
	uint32_t system;
	int r;

	*ret = (struct cas_entry){ 0 };
	r = field_read(&cas_entry_fields, entry, ret, error);
	system = ret->super_cas_id >> 16;
	if (json_object_get(entry, "first_stream_id") != NULL ||
	    (system >= COUNTS_FROM_1 && system <= COUNTS_FROM_1_LAST))
		ret->first_stream = 1;
	if (ret->entropy == 0)
		ret->entropy = 48;
	if (ret->port2 == 0)
		ret->port2 = ret->port;
	if (ret->emm_pid < PID_FIRST)
		ret->emm_pid = PID_NULL;
	for (size_t i = 0; i < ARRAY_LEN(required) && r == 0; i++) {
		const json_t *value = json_object_get(entry, required[i]);

		/* null and "" count as absent */
		if (value == NULL || json_is_null(value) ||
		    (json_is_string(value) && json_string_length(value) == 0))
			r = errmsg_fail(error, -EINVAL, "%s: is missing",
					required[i]);
	}
	return r;
}

/* Does one of the first n systems of the list use this PID for its ECMs?  PID
 * 0: has one of them no PID? */
static bool has_pid(const struct cas_list *l, size_t n, uint16_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (l->list[i].link.ecm_pid == pid)
			return true;
	return false;
}

static void read_one(const struct cas_item *item, struct cas_spec *s)
{
	struct errmsg error = { 0 };

	*s = (struct cas_spec){ 0 };
	if (field_read(&cas_list_fields, item->link, &s->link, &error) < 0)
		errmsg_set(&s->error, "cas_list: %s", error.text);
	if (s->link.ecm_pid < PID_FIRST)
		s->link.ecm_pid = 0;
	error.text[0] = '\0';
	if (cas_entry_read(item->entry, &s->entry, &error) == 0)
		return;
	if (item->entry == NULL)
		errmsg_set(&s->error, "cas has no entry with this id");
	else if (s->error.text[0] == '\0')
		errmsg_set(&s->error, "configuration error: %s", error.text);
}

void cas_list_read(const struct cas_item *items, size_t n,
		   struct cas_list *ret)
{
	ret->n = 0;
	while (ret->n < MIN(n, (size_t)CAS_LIST_MAX)) {
		struct cas_spec *s = &ret->list[ret->n];

		read_one(&items[ret->n], s);
		if (has_pid(ret, ret->n, s->link.ecm_pid) &&
		    s->link.ecm_pid != 0) {
			errmsg_set(&s->error, "ecm_pid: another system of the "
				   "stream has PID %u", s->link.ecm_pid);
			s->link.ecm_pid = 0;
		}
		ret->n++;
	}
	for (size_t k = 0; k < ret->n; k++) {
		uint16_t pid = CAS_ECM_PID;

		while (has_pid(ret, ret->n, pid))
			pid++;
		if (ret->list[k].link.ecm_pid == 0)
			ret->list[k].link.ecm_pid = pid;
	}
}

unsigned cas_list_period_s(const struct cas_list *l)
{
	unsigned longest = 0;

	for (size_t i = 0; i < l->n; i++)
		longest = MAX(longest, l->list[i].entry.period_s);
	return longest > 0 ? longest : CAS_PERIOD_DEFAULT_S;
}
