/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/socket/qdisc.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <string.h>

struct search {
	unsigned ifindex;
	bool other;     /* a queue is not fq, and sends at once */
	unsigned limit; /* the smallest flow_limit; 0: no queue was found */
};

static int on_qdisc(struct nl_msg *msg, void *arg)
{
	struct search *s = arg;
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct nlattr *attrs[TCA_MAX + 1], *fq[TCA_FQ_MAX + 1];
	const struct tcmsg *tc;
	const char *kind;
	unsigned limit = 0;

	if (head->nlmsg_type != RTM_NEWQDISC ||
	    nlmsg_parse(head, sizeof *tc, attrs, TCA_MAX, NULL) < 0 ||
	    attrs[TCA_KIND] == NULL)
		return NL_OK;
	tc = nlmsg_data(head);
	kind = nla_get_string(attrs[TCA_KIND]);
	/* below mq each queue of the device has a discipline of its own */
	if (tc->tcm_ifindex != (int)s->ifindex ||
	    tc->tcm_parent == TC_H_INGRESS || strcmp(kind, "mq") == 0)
		return NL_OK;
	if (strcmp(kind, "fq") == 0 && attrs[TCA_OPTIONS] != NULL &&
	    nla_parse_nested(fq, TCA_FQ_MAX, attrs[TCA_OPTIONS], NULL) >= 0 &&
	    fq[TCA_FQ_FLOW_PLIMIT] != NULL)
		limit = nla_get_u32(fq[TCA_FQ_FLOW_PLIMIT]);
	s->other = s->other || limit == 0;
	s->limit = s->limit == 0 ? limit : MIN(s->limit, limit);
	return NL_OK;
}

unsigned qdisc_fq_limit(unsigned ifindex)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct search s = { .ifindex = ifindex };
	struct tcmsg request = { .tcm_family = AF_UNSPEC,
				 .tcm_ifindex = (int)ifindex };

	if (sock == NULL)
		return 0;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_qdisc, &s);
	if (nl_connect(sock, NETLINK_ROUTE) < 0 ||
	    nl_send_simple(sock, RTM_GETQDISC, NLM_F_DUMP, &request,
			   sizeof request) < 0 ||
	    nl_recvmsgs_default(sock) < 0)
		s.other = true;
	nl_socket_free(sock);
	return s.other ? 0 : s.limit;
}
