/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/config_fields.h"

#include "master/config/check.h"
#include "proto/ipc/msg_deliver.h"
#include "proto/ipc/msg_epg.h"
#include "proto/ipc/msg_services.h"
#include "proto/si/text.h"
#include "proto/spec/ci_spec.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/stream_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"

#include <string.h>

/* Limits in bytes, because the message to the epg worker has limits. */
enum { XMLTV_ID_MAX = 256, PATH_TEXT_MAX = 1023 };

const struct field_table any_object_fields = { .n = 0 };

static const struct field any_string = { .type = FIELD_STRING };

/* --- the document --- */

static const struct field document_rows[] = {
	{ "$schema", .type = FIELD_NONE, .form = "text",
	  .help = "Schema of the file, for editors; without effect." },
	{ "gid", .type = FIELD_UINT,
	  .flags = FIELD_OBSERVER,
	  .help = "Counter from which new ids are made." },
	{ "settings", .type = FIELD_JSON,
	  .flags = FIELD_LIST_OK | FIELD_OBSERVER,
	  .help = "Settings of the program." },
	{ "users", .type = FIELD_JSON, .flags = FIELD_LIST_OK | FIELD_OBSERVER,
	  .help = "Users by their logins." },
	{ "auth", .type = FIELD_JSON, .flags = FIELD_LIST_OK | FIELD_OBSERVER,
	  .help = "Authorization of viewers." },
	{ "log", .type = FIELD_JSON, .flags = FIELD_LIST_OK | FIELD_OBSERVER,
	  .help = "Outputs of the log." },
	{ "make_stream", .type = FIELD_NONE, .form = "list",
	  .flags = FIELD_OBSERVER,
	  .help = "Streams." },
	{ "servers", .type = FIELD_LIST, .of = &any_object_fields,
	  .flags = FIELD_OBSERVER,
	  .help = "Other instances, for a web interface." },
	{ "dvb_tune", .type = FIELD_LIST, .of = &any_object_fields,
	  .flags = FIELD_OBSERVER,
	  .help = "Adapters." },
	{ "softcam", .type = FIELD_LIST, .of = &any_object_fields,
	  .flags = FIELD_OBSERVER,
	  .help = "Servers of control words." },
	{ "cas", .type = FIELD_LIST, .of = &any_object_fields,
	  .flags = FIELD_OBSERVER,
	  .help = "Conditional access systems." },
	{ "categories", .type = FIELD_LIST, .of = &any_object_fields,
	  .flags = FIELD_OBSERVER,
	  .help = "Categories and groups of streams." },
	{ "output", .type = FIELD_NONE, .form = "list",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Groups of outputs, for a web interface." },
};

const struct field_table document_fields = FIELD_ROWS(document_rows);

/* The pattern matches what check_control_port() accepts.  It also matches any
 * digits and colons between brackets, as if they were an IPv6 address. */
#define OCTET "(25[0-5]|(2[0-4]|1[0-9]|[1-9]?)[0-9])"
#define PORT "0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|" \
	     "65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
static const char port_schema[] =
	"{\"type\": \"string\", \"pattern\": \"^((?![0-9]{16})|"
	"@?(" OCTET "([.](?=[0-9])|(?=:))){4}:|@?\\\\[[0-9A-Fa-f:.]+\\\\]:)"
	PORT "$\"}";
/* Names between slashes, of CONTROL_PATH_MAX characters together. */
#define SEGMENT "(?![.][.]?(/|$))" \
		"[^/?#%\\\\\\\\\\\\u0000-\\\\u001f\\\\u007f]+"
static const char path_schema[] =
	"{\"pattern\": \"^/*(?!.{200}.*[^/])(" SEGMENT "(/" SEGMENT ")*)?"
	"/*$\"}";
static const struct field settings_rows[] = {
	/* check.c judges it, because an error is fatal */
	{ "control_port", .type = FIELD_NONE, .form = "scalar",
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .initial_text = "8000",
	  .schema = port_schema,
	  .help = "Port, or ADDRESS:PORT, of the control interface." },
	{ "control_path", .type = FIELD_STRING, .schema = path_schema,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Prefix of all control paths." },
	{ "control_tls_only", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Plain HTTP from another host gets 403." },
	{ "control_hosts", .type = FIELD_LIST, .item = &any_string,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Further names of this machine, accepted with "
		  "--no-web-auth." },
	{ "web_origins", .type = FIELD_LIST, .item = &any_string,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Pages of other headends that may ask this one: "
		  "\"https://host:port\"." },
	{ "observer_redact", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Observers receive no passwords, no tokens, and no logins in "
		  "addresses." },
	{ "allow_real_ip", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "X-Real-IP of a request is the address of the client." },
	{ "real_ip_trusted", .type = FIELD_LIST, .item = &any_string,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Proxies whose X-Real-IP is trusted." },
	{ "connections_per_address", .type = FIELD_UINT, .initial = 128,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .unit = "connections",
	  .help = "Control connections of one address; 0: no limit." },
	{ "viewers_per_address", .type = FIELD_UINT, .initial = 512,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .unit = "viewers",
	  .help = "Viewers of one address over HTTP; 0: no limit." },
	{ "hls_missing_empty", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "A missing segment of HLS is empty, not an error." },
	{ "hls_fmp4", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .needs = "http_play_hls",
	  .help = "The segments of http_play_hls are fMP4." },
	{ "hls_hash_names", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Segments of HLS are named by hash, not by number." },
	{ "hls_session_playlists", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .needs = "http_play_hls",
	  .help = "Each player of http_play_hls is a session of its own." },
	{ "crt_chain", .type = FIELD_STRING,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Certificate and intermediates, PEM or a file." },
	{ "crt_key", .type = FIELD_STRING,
	  .flags = FIELD_SECRET | FIELD_RESTART,
	  .help = "Private key of the certificate, PEM or a file." },
	{ "instance_name", .type = FIELD_STRING,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Name of this instance in status replies." },
	{ "querier_timeout", .type = FIELD_UINT,
	  .max = QUERIER_TIMEOUT_MAX_S, .initial = QUERIER_TIMEOUT_S,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .unit = "s",
	  .help = "Time without a query until a network has no querier." },
	{ "epg_days", .type = FIELD_UINT, .max = EPG_DAYS_MAX,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .unit = "days",
	  .help = "Days of the programme guide; 0: no guide." },
	/* check.c judges the addresses */
	{ "epg_sources", .type = FIELD_LIST, .item = &any_string,
	  .max = EPG_SOURCES_MAX, .needs = "epg_days",
	  .flags = FIELD_RESTART | FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Addresses of XMLTV for the guide: file, http, https." },
	{ "epg_export", .type = FIELD_LIST, .item = &any_string,
	  .max = EPG_EXPORTS_MAX, .needs = "epg_days",
	  .flags = FIELD_RESTART | FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Addresses that the guide is written or posted to: file, "
		  "http, https." },
	{ "epg_dictionary", .type = FIELD_STRING, .needs = "epg_days",
	  .max = PATH_TEXT_MAX, .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "File with the codes of compressed texts." },
	{ "epg_services", .type = FIELD_UINT, .min = 1,
	  .max = EPG_SERVICES_MAX, .initial = EPG_SERVICES,
	  .needs = "epg_days",
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Services of the programme guide." },
	{ "epg_memory", .type = FIELD_UINT, .min = 1,
	  .max = EPG_MEMORY_MAX_MIB, .initial = EPG_MEMORY_MIB,
	  .needs = "epg_days",
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .unit = "MiB",
	  .help = "Memory of the programme guide." },
	{ "backup_start_delay", .type = FIELD_NONE,
	  .flags = FIELD_OBSERVER,
	  .help = "Default of all streams." },
	{ "backup_return_delay", .type = FIELD_NONE,
	  .flags = FIELD_OBSERVER,
	  .help = "Default of all streams." },
	{ "cc_limit", .type = FIELD_NONE, .flags = FIELD_OBSERVER,
	  .help = "Default of all streams." },
	{ "http_play_stream", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Serve /play/ID: every enabled stream as MPEG-TS." },
	{ "http_play_hls", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Serve /play/ID/index.m3u8: every enabled stream as "
		  "HLS." },
	{ "http_workers", .type = FIELD_UINT, .min = 1,
	  .max = MSG_DELIVER_MAX, .initial = 1,
	  .flags = FIELD_RESTART | FIELD_OBSERVER, .unit = "processes",
	  .help = "Processes that serve the viewers over HTTP." },
	/* check.c judges it: a number, or text as control_port */
	{ "http_play_port", .type = FIELD_NONE, .form = "scalar",
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Port, or ADDRESS:PORT, that serves only /play and lists." },
	/* check.c judges it */
	{ "http_keep_active", .type = FIELD_NONE, .form = "integer",
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Default of all streams, in s; absent: -1, always on." },
	{ "hls_on_demand", .type = FIELD_BOOL,
	  .flags = FIELD_RESTART | FIELD_OBSERVER,
	  .help = "Default of all streams." },
	{ "http_server_name", .type = FIELD_STRING,
	  .flags = FIELD_IDLE | FIELD_OBSERVER,
	  .help = "Stored; without effect." },
	{ "playlist_arrange", .type = FIELD_NONE, .form = "any",
	  .flags = FIELD_OBSERVER,
	  .help = "Category of the groups in the playlist." },
	{ "http_play_tvg", .type = FIELD_STRING,
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Address of XMLTV in the playlist." },
	{ "http_play_logos", .type = FIELD_STRING,
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Address of the folder of pictures in the playlist." },
	{ "tsdb_interval", .type = FIELD_REAL,
	  .flags = FIELD_IDLE | FIELD_OBSERVER,
	  .help = "Stored; without effect." },
};

const struct field_table settings_fields = FIELD_ROWS(settings_rows);

static const struct field log_rows[] = {
	{ "debug", .type = FIELD_BOOL, .flags = FIELD_OBSERVER,
	  .help = "Log debug lines too." },
	{ "stdout", .type = FIELD_BOOL, .initial = true,
	  .flags = FIELD_OBSERVER,
	  .help = "Log to standard error." },
	{ "filename", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Log to this file." },
	{ "max_file_size", .type = FIELD_REAL, .max = INT64_MAX,
	  .initial = 10, .unit = "MiB",
	  .flags = FIELD_OBSERVER,
	  .help = "Size at which the file is renamed; 0: no limit." },
	{ "syslog", .type = FIELD_STRING,
	  .flags = FIELD_OBSERVER,
	  .help = "Log to the system log under this name." },
	{ "api_access", .type = FIELD_BOOL,
	  .flags = FIELD_OBSERVER,
	  .help = "Log a line for each call of the API." },
};

const struct field_table log_fields = FIELD_ROWS(log_rows);

/* check_auth.c judges the keys below that have no type (FIELD_NONE). */
static const char *const conlimit_modes[] = { "deny", "oldest", NULL };
static const char *const unreachable_modes[] = { "allow", "deny", NULL };
static const struct field auth_rows[] = {
	{ "backend", .type = FIELD_NONE, .form = "any",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .needs = "enable",
	  .help = "URL that decides about viewers without a user." },
	{ "backend_unreachable", .type = FIELD_UINT,
	  .choices = unreachable_modes, .flags = FIELD_OBSERVER,
	  .needs = "enable",
	  .help = "New viewers while the backend does not answer." },
	{ "conlimit_mode", .type = FIELD_UINT, .choices = conlimit_modes,
	  .flags = FIELD_OBSERVER,
	  .needs = "enable",
	  .help = "Above conlimit: deny the new viewer, or end the oldest." },
	{ "enable", .type = FIELD_NONE, .form = "boolean",
	  .flags = FIELD_OBSERVER,
	  .schema = "{\"type\": [\"boolean\", \"null\"]}",
	  .help = "Viewers need authorization." },
	{ "http_ip_allow", .type = FIELD_NONE, .form = "list",
	  .flags = FIELD_OBSERVER,
	  .needs = "enable",
	  .help = "Networks that need no authorization." },
	{ "http_ip_deny", .type = FIELD_NONE, .form = "list",
	  .flags = FIELD_OBSERVER,
	  .needs = "enable",
	  .help = "Networks that are denied." },
	{ "http_token_deny", .type = FIELD_NONE, .form = "list",
	  .needs = "enable",
	  .help = "Tokens that are denied." },
	{ "iptvportal", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .beside = "backend",
	  .needs = "enable",
	  .help = "Base URL of IPTVPORTAL, used without backend." },
	{ "ministra", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .beside = "backend",
	  .needs = "enable",
	  .help = "Base URL of Ministra, used without backend." },
	{ "promo", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .needs = "enable",
	  .help = "URL that denied viewers are redirected to." },
	{ "securetoken", .type = FIELD_NONE, .form = "scalar",
	  .flags = FIELD_SECRET,
	  .needs = "enable",
	  .help = "Secret of secure tokens." },
	{ "smarty", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .beside = "backend",
	  .needs = "enable",
	  .help = "Base URL of Smarty, used without backend." },
	{ "x_real_ip", .type = FIELD_NONE, .form = "boolean",
	  .flags = FIELD_OBSERVER,
	  .help = "X-Real-IP of trusted proxies is the address of the "
		  "viewer." },
};

const struct field_table auth_fields = FIELD_ROWS(auth_rows);

static const char *const user_types[] = { "1", "2", "3", NULL };
static const struct field user_rows[] = {
	{ "enable", .type = FIELD_BOOL,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "A disabled user cannot log in." },
	{ "type", .type = FIELD_REAL, .words = user_types,
	  .schema = "{\"enum\": [1, 2, 3]}",
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "1: control user, 2: observer, 3: viewer." },
	{ "cipher", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_SECRET,
	  .help = "Hash of the password." },
	{ "comment", .type = FIELD_STRING, .help = "Stored." },
	{ "token", .type = FIELD_STRING,
	  .idle_in = WHERE_OPEN,
	  .help = "Token of the viewer." },
	{ "ip", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_OPEN,
	  .help = "Address or network that the viewer must have." },
	{ "expire", .type = FIELD_REAL, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_OPEN,
	  .help = "Unix time from which the user may not watch; 0: no end." },
	/* a number or text: check.c judges it */
	{ "conlimit", .type = FIELD_NONE, .form = "integer",
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_OPEN,
	  .help = "Viewers at the same time; 0: any number." },
	{ "packages", .type = FIELD_LIST, .item = &any_string,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_OPEN,
	  .help = "Categories that the user may watch." },
	{ "created", .type = FIELD_REAL,
	  .flags = FIELD_OBSERVER,
	  .help = "Time at which the user was created." },
};

const struct field_table user_fields = FIELD_ROWS(user_rows);

static const struct field cas_link_rows[] = {
	{ "cas_id", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER,
	  .help = "Id of the conditional access system." },
	{ "ecm_pid", .type = FIELD_NONE, .form = "integer",
	  .flags = FIELD_OBSERVER, .help = "PID of the ECMs." },
	{ "ecm_data", .type = FIELD_NONE, .form = "text",
	  .help = "Private data of the descriptor in the PMT, hex." },
	{ "ac", .type = FIELD_NONE, .form = "text",
	  .help = "Access criteria of the ECMs, hex." },
};
static const struct field_table cas_link_fields = FIELD_ROWS(cas_link_rows);

static const char *const stream_types[] = { "spts", "mpts", NULL };
static const struct field stream_rows[] = {
	{ "epg_codepage", .type = FIELD_UINT, .max = TEXT_UTF8,
	  .schema = "{\"not\": {\"enum\": [12, 16, 17, 18, 19, 20]}}",
	  .flags = FIELD_OBSERVER,
	  .help = "Character set of texts in the EIT that name none: 0 "
		  "ISO 6937, 1 to 11 and 13 to 15 ISO 8859, 21 UTF-8." },
	/* check_stream.c judges it */
	{ "id", .type = FIELD_NONE, .form = "text", .schema = CHECK_ID_SCHEMA,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Id of the stream." },
	{ "enable", .type = FIELD_BOOL,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "The stream runs." },
	{ "type", .type = FIELD_STRING, .words = stream_types,
	  .schema = "{\"enum\": [\"spts\", \"mpts\"]}",
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "spts or mpts." },
	{ "name", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Name for people." },
	{ "input", .type = FIELD_LIST, .item = &any_string,
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Addresses of inputs, the first one preferred." },
	{ "output", .type = FIELD_LIST, .item = &any_string,
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Addresses of outputs." },
	{ "groups", .type = FIELD_JSON, .flags = FIELD_LIST_OK | FIELD_OBSERVER,
	  .help = "Group of the stream in each category." },
	{ "cas_list", .type = FIELD_LIST, .flags = FIELD_OBSERVER,
	  .of = &cas_link_fields,
	  .help = "Systems that scramble the stream." },
	{ "lcn", .type = FIELD_NONE, .form = "integer",
	  .flags = FIELD_OBSERVER,
	  .help = "Place in the playlist." },
	{ "xmltv_id", .type = FIELD_STRING, .max = XMLTV_ID_MAX,
	  .flags = FIELD_OBSERVER,
	  .help = "tvg-id in the playlist." },
	/* check_stream.c judges it */
	{ "http_keep_active", .type = FIELD_NONE, .form = "integer",
	  .help = "Seconds to run after the last viewer; -1: always." },
	{ "hls_on_demand", .type = FIELD_BOOL, .flags = FIELD_OBSERVER,
	  .help = "http_keep_active applies to a stream with HLS." },
	{ "hls_group", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .help = "Streams with the same text are variants of one." },
	{ "hls_header", .type = FIELD_STRING, .flags = FIELD_OBSERVER,
	  .needs = "hls_group",
	  .help = "Attributes of its EXT-X-STREAM-INF." },
	{ "pat_version", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Version of the PAT." },
	{ "pmt_version", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Version of the PMT." },
	{ "cat_version", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Version of the CAT." },
	{ "sdt_version", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Version of the SDT." },
	{ "nit_version", .type = FIELD_UINT, .flags = FIELD_OBSERVER,
	  .help = "Version of the NIT." },
};

const struct field_table stream_fields = FIELD_ROWS(stream_rows);

const struct config_section config_sections[] = {
	{ "settings", "settings", false, { &settings_fields } },
	{ "auth", "auth", false, { &auth_fields } },
	{ "log", "log", false, { &log_fields } },
	{ "users", "user", true, { &user_fields } },
	{ "make_stream", "stream", true,
	  { &stream_fields, &stream_option_fields } },
	{ "dvb_tune", "adapter", true,
	  { &adapter_fields, &tuner_fields, &t2mi_fields, &ci_fields } },
	{ "softcam", "softcam", true, { &softcam_fields } },
	{ "cas", "cas", true, { &cas_fields } },
	{ "servers", "server", true, { &server_fields } },
	{ "categories", "category", true, { &category_fields } },
	{ "output", "group", true, { &group_fields } },
};

const size_t n_config_sections = ARRAY_LEN(config_sections);

void config_tables_visit(config_table_fn *visit, void *arg)
{
	for (size_t i = 0; i < n_config_sections; i++)
		for (size_t k = 0; config_sections[i].tables[k] != NULL; k++)
			visit(&config_sections[i], config_sections[i].tables[k],
			      arg);
}

const struct config_section *config_fields_of(const char *section)
{
	for (size_t i = 0; i < n_config_sections; i++)
		if (strcmp(config_sections[i].key, section) == 0)
			return &config_sections[i];
	return NULL;
}
