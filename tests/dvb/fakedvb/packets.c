// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packets: the demultiplexer of the kernel, with the limits of some
 * hardware, and the network device behind it.
 *
 * /dev/fakedvbN: write = transport stream put into the demultiplexer (whole
 * packets of 188 bytes, at most 4096 in one write; dropped while there is no
 * lock); read = one text line per event (tune, diseqc, tone, voltage, burst,
 * feed, cam ...); isdbt follows a tune: per layer code rate, modulation,
 * segments, interleaving.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "fakedvb.h"

enum { WRITE_MAX = 4096 * FAKE_PACKET, FILTERS = 256, PID_ALL = 0x2000 };

enum { SPOIL_SYNC = 1, SPOIL_PAT, SPOIL_COUNTER, SPOIL_PES };

void fake_event(struct fake *f, const char *format, ...)
{
	char line[256];
	unsigned long flags;
	va_list args;
	int n;

	va_start(args, format);
	n = vscnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[n++] = '\n';
	spin_lock_irqsave(&f->events_lock, flags);
	if (kfifo_avail(&f->events) >= n)
		kfifo_in(&f->events, line, n);
	spin_unlock_irqrestore(&f->events_lock, flags);
	wake_up_interruptible(&f->events_wait);
}

/* --- the demultiplexer --- */

static int start_feed(struct dvb_demux_feed *feed)
{
	struct fake *f = feed->demux->priv;
	int most = fake_maxpids[f->i];

	if (feed->pid == PID_ALL && !fake_whole[f->i]) {
		fake_event(f, "feed refused %u", feed->pid);
		return -EINVAL;
	}
	if (most && f->feeds >= most) {
		fake_event(f, "feed refused %u", feed->pid);
		return -ENOSPC;
	}
	f->feeds++;
	fake_event(f, "feed+ %u", feed->pid);
	return 0;
}

static int stop_feed(struct dvb_demux_feed *feed)
{
	struct fake *f = feed->demux->priv;

	f->feeds--;
	fake_event(f, "feed- %u", feed->pid);
	return 0;
}

/* Without a look at the packets, as hardware that sends nonsense. */
static void feed_raw(struct fake *f, const u8 *packets, size_t n)
{
	struct dvb_demux_feed *feed;
	unsigned long flags;

	spin_lock_irqsave(&f->demux.lock, flags);
	list_for_each_entry(feed, &f->demux.feed_list, list_head)
		if (feed->pid == PID_ALL && feed->type == DMX_TYPE_TS &&
		    feed->feed.ts.is_filtering)
			feed->cb.ts(packets, n * FAKE_PACKET, NULL, 0,
				    &feed->feed.ts, NULL);
	spin_unlock_irqrestore(&f->demux.lock, flags);
}

int fake_demux_init(struct fake *f)
{
	struct dmx_demux *dmx = &f->demux.dmx;
	const u8 mac[] = { 2, 0x1a, 0x2b, 0x3c, 0x4d, f->i };
	int r;

	dmx->capabilities = DMX_TS_FILTERING | DMX_SECTION_FILTERING;
	f->demux.priv = f;
	f->demux.filternum = f->demux.feednum = FILTERS;
	f->demux.start_feed = start_feed;
	f->demux.stop_feed = stop_feed;
	r = dvb_dmx_init(&f->demux);
	if (r < 0)
		return r;
	f->dmxdev.filternum = FILTERS;
	f->dmxdev.demux = dmx;
	r = dvb_dmxdev_init(&f->dmxdev, &f->adapter);
	if (r < 0)
		return r;
	f->front.source = DMX_FRONTEND_0;
	r = dmx->add_frontend(dmx, &f->front);
	if (r == 0)
		r = dmx->connect_frontend(dmx, &f->front);
	if (r < 0)
		return r;
	memcpy(f->adapter.proposed_mac, mac, sizeof(mac));
	return dvb_net_init(&f->adapter, &f->net, dmx);
}

void fake_demux_done(struct fake *f)
{
	struct dmx_demux *dmx = &f->demux.dmx;

	dvb_net_release(&f->net);
	dmx->disconnect_frontend(dmx);
	dmx->remove_frontend(dmx, &f->front);
	dvb_dmxdev_release(&f->dmxdev);
	dvb_dmx_release(&f->demux);
}

/* --- /dev/fakedvbN --- */

static struct fake *fake_of(struct file *file)
{
	return container_of(file->private_data, struct fake, control);
}

static void spoil_packet(struct fake *f, u8 *p, int how)
{
	bool is_pat = (p[1] & 0x1f) == 0 && p[2] == 0;
	bool starts = p[1] & 0x40;
	/* behind an adaptation field */
	int payload = p[3] & 0x20 ? 5 + p[4] : 4;

	if (how == SPOIL_SYNC)
		p[0] = 0;
	else if (how == SPOIL_PAT && is_pat)
		p[8] ^= 0xff;
	else if (how == SPOIL_COUNTER && is_pat)
		p[3] = (p[3] & 0xf0) | ((f->pat_cc += 3) & 0x0f);
	else if (how == SPOIL_PES && starts && payload < FAKE_PACKET - 2 &&
		 p[payload] == 0 && p[payload + 1] == 0 && p[payload + 2] == 1)
		p[payload + 2] = 2;
}

static void receive(struct fake *f, u8 *packets, size_t n)
{
	int how = fake_spoil[f->i];
	size_t i;

	if (!(fake_frontend_status(f) & FE_HAS_LOCK))
		return;
	for (i = 0; how && i < n; i++)
		spoil_packet(f, packets + i * FAKE_PACKET, how);
	if (how == SPOIL_SYNC)
		feed_raw(f, packets, n);
	else
		dvb_dmx_swfilter_packets(&f->demux, packets, n);
	f->bits += n * FAKE_PACKET * 8;
	f->blocks += n;
}

static ssize_t control_write(struct file *file, const char __user *from,
			     size_t n, loff_t *at)
{
	struct fake *f = fake_of(file);
	ssize_t r = -ENODEV;
	u8 *copy;

	n = min_t(size_t, n - n % FAKE_PACKET, WRITE_MAX);
	if (!n)
		return -EINVAL;
	copy = vmemdup_user(from, n);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	mutex_lock(&f->write_lock);
	if (!f->away) {
		receive(f, copy, n / FAKE_PACKET);
		r = n;
	}
	mutex_unlock(&f->write_lock);
	kvfree(copy);
	return r;
}

static ssize_t control_read(struct file *file, char __user *to, size_t n,
			    loff_t *at)
{
	struct fake *f = fake_of(file);
	unsigned int copied;
	int r;

	if (kfifo_is_empty(&f->events) && (file->f_flags & O_NONBLOCK))
		return -EAGAIN;
	r = wait_event_interruptible(f->events_wait,
				     !kfifo_is_empty(&f->events));
	if (r == 0)
		r = kfifo_to_user(&f->events, to, n, &copied);
	return r ? r : copied;
}

static __poll_t control_poll(struct file *file, poll_table *table)
{
	struct fake *f = fake_of(file);

	poll_wait(file, &f->events_wait, table);
	return EPOLLOUT | (kfifo_is_empty(&f->events) ? 0 : EPOLLIN);
}

static const struct file_operations control_ops = {
	.owner = THIS_MODULE,
	.write = control_write,
	.read = control_read,
	.poll = control_poll,
	.llseek = noop_llseek,
};

int fake_control_init(struct fake *f)
{
	snprintf(f->name, sizeof(f->name), "fakedvb%d", f->i);
	f->control = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = f->name,
		.fops = &control_ops,
	};
	return misc_register(&f->control);
}

void fake_control_done(struct fake *f)
{
	misc_deregister(&f->control);
}
