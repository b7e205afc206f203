/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/config_view.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <string.h>

/* What api/forms says of the fields below. */
static const char forms[] =
	"{'settings':[{'key':'observer_redact','type':'boolean',"
	"'observer':true},{'key':'crt_key','type':'text','secret':true}],"
	"'user':[{'key':'type','type':'number','observer':true},"
	"{'key':'cipher','type':'text','secret':true},"
	"{'key':'comment','type':'text'}],"
	"'stream':[{'key':'id','type':'text','observer':true},"
	"{'key':'input','type':'list','item':'text','observer':true,"
	"'address':true},"
	"{'key':'map.','type':'text','observer':true,'prefix':true},"
	"{'key':'cc_limit','type':'integer','observer':true},"
	"{'key':'cas_list','type':'list','observer':true,"
	"'fields':[{'key':'cas_id','type':'text','observer':true},"
	"{'key':'ac','type':'text'}]}],"
	"'softcam':[{'key':'id','type':'text','observer':true},"
	"{'key':'pass','type':'text','secret':true}]}";

static void shows(const char *given, bool reduced, const char *want)
{
	json_t *document = quoted(given), *expected = quoted(want);
	json_t *table = quoted(forms);
	json_t *view = config_view_of_observer(document, table, reduced);

	cr_assert(json_equal(view, expected), "%s",
		  json_dumps(view, JSON_COMPACT));
	json_decref(view);
	json_decref(table);
	json_decref(expected);
	json_decref(document);
}

Test(config_view, hides_hashes_keys_and_logins_of_softcams)
{
	shows("{'users':{'a':{'type':1,'cipher':'$y$x','comment':'c'}},"
	      "'settings':{'crt_key':'/k.pem','own':1},'own':{'cipher':'x'},"
	      "'softcam':[{'id':'s','pass':'p'}]}",
	      false,
	      "{'users':{'a':{'type':1,'comment':'c'}},"
	      "'settings':{'own':1},'own':{'cipher':'x'},"
	      "'softcam':[{'id':'s'}]}");
}

Test(config_view, keeps_only_marked_keys_of_a_reduced_configuration)
{
	shows("{'users':{'a':{'type':1,'cipher':'$y$x','comment':'c'}},"
	      "'settings':{'observer_redact':true,'crt_key':'k','own':1},"
	      "'own':1,'gid':7}",
	      true,
	      "{'users':{'a':{'type':1}},"
	      "'settings':{'observer_redact':true},'gid':7}");
	shows("{'make_stream':[{'id':'a','map.1':'x','cc_limit':'secret',"
	      "'cas_list':[{'cas_id':'c','ac':'00'}]}]}",
	      true,
	      "{'make_stream':[{'id':'a','map.1':'x',"
	      "'cas_list':[{'cas_id':'c'}]}]}");
}

Test(config_view, hides_secrets_in_addresses_of_a_reduced_configuration)
{
	shows("{'make_stream':[{'id':'a','input':["
	      "'srt://127.0.0.1:9001#passphrase=0123456789',7]}]}",
	      true,
	      "{'make_stream':[{'id':'a','input':["
	      "'srt://127.0.0.1:9001#passphrase=***',null]}]}");
}

Test(config_view, masks_hashes_in_changes)
{
	json_t *changes = quoted(
		"[{'path':'users.a.cipher','from':'$y$1','to':'$y$2'},"
		"{'path':'users.b','to':{'type':1,'cipher':'$y$3'}},"
		"{'path':'users','from':{'c':{'cipher':'$y$4'}}},"
		"{'path':'list','from':[{'crt_key':'x'}],'to':1}]");
	json_t *want = quoted(
		"[{'path':'users.a.cipher','from':'***','to':'***'},"
		"{'path':'users.b','to':{'type':1,'cipher':'***'}},"
		"{'path':'users','from':{'c':{'cipher':'***'}}},"
		"{'path':'list','from':[{'crt_key':'***'}],'to':1}]");

	config_view_mask(changes);
	cr_assert(json_equal(changes, want), "%s",
		  json_dumps(changes, JSON_COMPACT));
	json_decref(changes);
	json_decref(want);
}
