/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the entries of lists, except streams and users. */
#include "master/config/config_fields.h"

#include "master/config/check.h"
#include "proto/spec/cam_spec.h"

/* --- entries of lists that commands send --- */

static const char *const adapter_types[] = {
	"S", "S2", "T", "T2", "C", "C/A", "C/B", "C/C", "ATSC", "ISDB-T",
	"CI", "ISDBT", NULL,
};
static const char *const adapter_transports[] = { "udp", "tcp", "multicast",
						  NULL };
static const struct field adapter_rows[] = {
	{ "id", .type = FIELD_NONE, .form = "text", .schema = CHECK_ID_SCHEMA,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Id of the adapter." },
	{ "name", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Name for people." },
	{ "enable", .type = FIELD_BOOL,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "The adapter is used." },
	{ "type", .type = FIELD_UINT, .choices = adapter_types, .max = 11,
	  .initial = 1, .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Delivery system." },
	{ "adapter", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Number of the adapter." },
	{ "device", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Number of the frontend." },
	{ "address", .type = FIELD_STRING,
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Address of a multiplex, instead of a tuner; stream:// and "
		  "an id: what that stream sends." },
	{ "server", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "IP address or name of a SAT>IP server, with its port if it "
		  "is not 554." },
	{ "transport", .type = FIELD_STRING, .words = adapter_transports,
	  .flags = FIELD_OBSERVER,
	  .help = "How a SAT>IP server sends; without it by UDP, or by TCP if "
		  "UDP does not arrive." },
	{ "scan", .type = FIELD_LIST, .of = &any_object_fields,
	  .help = "Programs that are added as streams, once." },
};

const struct field_table adapter_fields = FIELD_ROWS(adapter_rows);

static const char *const softcam_types[] = { "newcamd", NULL };
static const struct field softcam_rows[] = {
	{ "id", .type = FIELD_STRING, .schema = CHECK_ID_SCHEMA,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Id of the softcam." },
	{ "name", .type = FIELD_STRING,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Name for people." },
	{ "type", .type = FIELD_STRING, .words = softcam_types,
	  .flags = FIELD_REQUIRED,
	  .help = "Protocol: newcamd." },
	{ "host", .type = FIELD_STRING, .flags = FIELD_REQUIRED,
	  .help = "Host of the server." },
	{ "port", .type = FIELD_UINT, .min = 1, .max = 65535,
	  .flags = FIELD_REQUIRED, .help = "Port of the server." },
	{ "user", .type = FIELD_STRING, .max = CAM_USER_MAX,
	  .flags = FIELD_REQUIRED, .help = "Login at the server." },
	{ "pass", .type = FIELD_STRING,
	  .flags = FIELD_REQUIRED | FIELD_SECRET,
	  .help = "Password at the server." },
	{ "key", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_SECRET,
	  .help = "DES key: 28 hex characters." },
	{ "caid", .type = FIELD_NONE, .form = "text",
	  .help = "Four hex characters instead of the CAID of the server." },
	{ "timeout", .type = FIELD_NONE, .form = "integer", .unit = "s",
	  .help = "How long an answer of the server is waited for; "
		  "absent: 8." },
	{ "disable_emm", .type = FIELD_NONE, .form = "boolean",
	  .help = "Forwards no EMM." },
	{ "split_cam", .type = FIELD_NONE, .form = "boolean",
	  .help = "A connection to the server for each stream." },
	{ "shift", .type = FIELD_NONE, .form = "integer", .unit = "ms",
	  .help = "Buffer in front of the descrambler." },
	{ "skip_ecm", .type = FIELD_NONE, .form = "integer",
	  .help = "ECMs that are ignored at the start of a stream." },
	{ "force", .type = FIELD_NONE, .form = "boolean",
	  .help = "Connects at once, without a stream that needs it." },
	{ "ignore_cw", .type = FIELD_NONE, .form = "boolean",
	  .help = "Uses control words with wrong checksums." },
};

const struct field_table softcam_fields = FIELD_ROWS(softcam_rows);

static const char *const emmg_protocols[] = { "tcp", "udp", NULL };
static const char *const ecmg_rules[] = { "keep", "clear", "stop", NULL };
static const struct field cas_rows[] = {
	{ "id", .type = FIELD_STRING, .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Id of the system." },
	{ "name", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER,
	  .help = "Name for people." },
	{ "ecmg_channel_id", .type = FIELD_NONE, .form = "integer",
	  .flags = FIELD_OBSERVER,
	  .help = "Channel at the ECM generator." },
	{ "ecmg_host", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Host of the ECM generator." },
	{ "ecmg_port", .type = FIELD_NONE, .form = "integer",
	  .flags = FIELD_OBSERVER,
	  .help = "Port of the ECM generator." },
	{ "ecmg_cp", .type = FIELD_NONE, .form = "integer", .unit = "s",
	  .help = "Crypto period; absent: 10." },
	{ "super_cas_id", .type = FIELD_NONE, .form = "text",
	  .help = "Eight hex characters: CAID and subid." },
	{ "first_stream_id", .type = FIELD_NONE, .form = "any",
	  .help = "With any value the ids of ECM streams start at 1." },
	{ "emmg_protocol", .type = FIELD_NONE, .form = "text",
	  .words = emmg_protocols,
	  .help = "Protocol of the EMM generator; absent: tcp." },
	{ "emmg_port", .type = FIELD_NONE, .form = "integer",
	  .help = "Port for the EMM generator." },
	{ "emm_pid", .type = FIELD_NONE, .form = "integer",
	  .help = "PID of the EMMs in the output; 0: 8191." },
	{ "emm_data", .type = FIELD_NONE, .form = "text",
	  .help = "Private data of the CA descriptor in the CAT, in hex." },
	{ "emm_clone", .type = FIELD_NONE, .form = "boolean",
	  .help = "Sends the EMMs to all streams." },
	{ "ecmg_host2", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_ADDRESS, .help = "Host of a second ECM generator." },
	{ "ecmg_port2", .type = FIELD_NONE, .form = "integer",
	  .help = "Port of the second ECM generator." },
	{ "ecmg_version", .type = FIELD_NONE, .form = "integer",
	  .help = "Version of the protocol: 2 or 3." },
	{ "ecmg_lost", .type = FIELD_NONE, .form = "text",
	  .words = ecmg_rules,
	  .help = "What a stream does if the next ECM is missing: keep, clear "
		  "or stop." },
	{ "ecmg_lost_time", .type = FIELD_NONE, .form = "integer",
	  .help = "Seconds for which the control word stays before." },
	{ "cw_entropy", .type = FIELD_NONE, .form = "integer",
	  .help = "Random bits of a control word: 48 or 64." },
	{ "emmg_bitrate", .type = FIELD_NONE, .form = "integer",
	  .help = "kbit/s of all EMMs." },
};

const struct field_table cas_fields = FIELD_ROWS(cas_rows);

/* --- lists that only a web interface reads --- */

static const struct field server_rows[] = {
	{ "type", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Kind of the instance." },
	{ "enable", .type = FIELD_BOOL, .flags = FIELD_OBSERVER,
	  .help = "The web interface shows the instance." },
	{ "name", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Name for people." },
	{ "host", .type = FIELD_STRING,
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Host of its control port." },
	{ "port", .type = FIELD_UINT, .min = 1, .max = 65535,
	  .flags = FIELD_OBSERVER, .help = "Its control port." },
	{ "user", .type = FIELD_STRING,
	  .help = "Login there: an observer is enough." },
	{ "pass", .type = FIELD_STRING, .flags = FIELD_SECRET,
	  .help = "Password of the login." },
};

const struct field_table server_fields = FIELD_ROWS(server_rows);

static const struct field group_rows[] = {
	{ "name", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Name of the group." },
};

const struct field_table group_fields = FIELD_ROWS(group_rows);

static const struct field category_rows[] = {
	{ "name", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Name of the category." },
	{ "groups", .type = FIELD_LIST, .of = &group_fields,
	  .flags = FIELD_OBSERVER,
	  .help = "Groups of the category, in their order." },
};

const struct field_table category_fields = FIELD_ROWS(category_rows);
