// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The slots: that of a tuner with its CAM, of which dvb-core drives the card
 * interface, and one without a tuner.
 *
 * /dev/fakecamN: read = one link layer fragment that the host sent to the CAM,
 * write = one fragment from the CAM.
 */
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include "fakedvb.h"

enum {
	LOOP_SIZE = 1 << 20,
	FRAGMENT_MAX = 512,
	CONFIG_AT = 0x200, /* of the attribute memory */
	/* registers of the card, and their bits (EN 50221, A.2.2.1) */
	REG_DATA = 0,
	REG_STATUS = 1,
	REG_SIZE_LOW = 2,
	REG_SIZE_HIGH = 3,
	FREE = 0x40,
	DATA_AVAILABLE = 0x80,
	SIZE_READ = 4,
	/* tuples of the card (PC Card standard) */
	TUPLE_DEVICE_OA = 0x1c,
	TUPLE_DEVICE_OC = 0x1d,
	TUPLE_VERSION = 0x15,
	TUPLE_MAKER = 0x20,
	TUPLE_CONFIG = 0x1a,
	TUPLE_ENTRY = 0x1b,
	TUPLE_NO_LINK = 0x14,
	TUPLE_END = 0xff,
};

static struct fake *fake_of(struct dvb_ca_en50221 *ca)
{
	return container_of(ca, struct fake, module.ca);
}

static struct fake_module *module_of(struct dvb_ca_en50221 *ca)
{
	return container_of(ca, struct fake_module, ca);
}

/* --- the attribute memory --- */

static void add_tuple(struct fake_module *m, u8 type, const void *data, int n)
{
	u8 *to = m->attributes + m->n_attributes;

	to[0] = type;
	to[1] = n;
	memcpy(to + 2, data, n);
	m->n_attributes += 2 + n;
}

static void write_attributes(struct fake_module *m)
{
	/* the base of the configuration is CONFIG_AT */
	static const u8 config[] = { 0x01, 0x00, 0x00, 0x02, 0x01, 0xc0, 0x0e,
				     0x41, 0x02, 'D', 'V', 'B', '_', 'C', 'I',
				     '_', 'V', '1', '.', '0', '0' };
	u8 entry[40] = { 0xc1 };

	add_tuple(m, TUPLE_DEVICE_OC, "\x00\x00", 2);
	add_tuple(m, TUPLE_DEVICE_OA, "\x00\x00\x00", 3);
	add_tuple(m, TUPLE_VERSION, "\x05\x00" "fake\0CAM\0", 11);
	add_tuple(m, TUPLE_MAKER, "\x34\x12\x78\x56", 4);
	add_tuple(m, TUPLE_CONFIG, config, sizeof(config));
	memcpy(entry + 2, "DVB_HOST", 8);
	memcpy(entry + 12, "DVB_CI_MODULE", 13);
	add_tuple(m, TUPLE_ENTRY, entry, sizeof(entry));
	m->attributes[m->n_attributes++] = TUPLE_NO_LINK;
	m->attributes[m->n_attributes++] = 0;
	m->attributes[m->n_attributes++] = TUPLE_END;
}

static int read_attribute(struct dvb_ca_en50221 *ca, int slot, int at)
{
	struct fake_module *m = module_of(ca);

	if (at == CONFIG_AT)
		return m->config;
	at /= 2;
	return at < m->n_attributes ? m->attributes[at] : TUPLE_END;
}

static int write_attribute(struct dvb_ca_en50221 *ca, int slot, int at,
			   u8 value)
{
	if (at == CONFIG_AT)
		module_of(ca)->config = value;
	return 0;
}

/* --- the registers --- */

static int read_control(struct dvb_ca_en50221 *ca, int slot, u8 at)
{
	struct fake_module *m = module_of(ca);
	u8 value;

	switch (at) {
	case REG_STATUS:
		return FREE | (m->has_size ? DATA_AVAILABLE : 0);
	case REG_SIZE_LOW:
		return sizeof(m->size);
	case REG_SIZE_HIGH:
		return 0;
	case REG_DATA:
		value = m->size[m->size_at & 1];
		if (++m->size_at >= 2)
			m->has_size = false;
		return value;
	default:
		return -EINVAL;
	}
}

static int write_control(struct dvb_ca_en50221 *ca, int slot, u8 at, u8 value)
{
	struct fake_module *m = module_of(ca);

	if (at == REG_STATUS && (value & SIZE_READ)) {
		m->size[0] = FRAGMENT_MAX >> 8;
		m->size[1] = FRAGMENT_MAX & 0xff;
		m->size_at = 0;
		m->has_size = true;
	}
	return 0;
}

/* --- fragments --- */

/* The first of a list, which the caller frees; NULL: it is empty. */
static struct fake_fragment *take(struct fake_module *m, struct list_head *list)
{
	struct fake_fragment *g;

	spin_lock(&m->lock);
	g = list_first_entry_or_null(list, struct fake_fragment, link);
	if (g)
		list_del(&g->link);
	spin_unlock(&m->lock);
	return g;
}

static void add(struct fake_module *m, struct list_head *list,
		struct fake_fragment *g)
{
	spin_lock(&m->lock);
	list_add_tail(&g->link, list);
	spin_unlock(&m->lock);
}

static int read_data(struct dvb_ca_en50221 *ca, int slot, u8 *to, int n)
{
	struct fake_module *m = module_of(ca);
	struct fake_fragment *g = take(m, &m->from);

	if (!g)
		return 0;
	n = min(n, g->n);
	memcpy(to, g->data, n);
	kfree(g);
	return n;
}

static int write_data(struct dvb_ca_en50221 *ca, int slot, u8 *from, int n)
{
	struct fake_module *m = module_of(ca);
	struct fake_fragment *g;

	if (n > sizeof(g->data))
		return -EINVAL;
	g = kmalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->n = n;
	memcpy(g->data, from, n);
	add(m, &m->to, g);
	wake_up_interruptible(&m->wait);
	return n;
}

static int reset(struct dvb_ca_en50221 *ca, int slot)
{
	fake_event(fake_of(ca), "cam reset");
	return 0;
}

static int shut_down(struct dvb_ca_en50221 *ca, int slot)
{
	fake_event(fake_of(ca), "cam shutdown");
	return 0;
}

static int enable_stream(struct dvb_ca_en50221 *ca, int slot)
{
	fake_event(fake_of(ca), "cam ts enable");
	return 0;
}

static int poll_slot(struct dvb_ca_en50221 *ca, int slot, int open)
{
	return fake_cam[fake_of(ca)->i] ? DVB_CA_EN50221_POLL_CAM_PRESENT |
						  DVB_CA_EN50221_POLL_CAM_READY
					: 0;
}

/* --- /dev/fakecamN --- */

static struct fake_module *module_of_file(struct file *file)
{
	return container_of(file->private_data, struct fake_module, device);
}

static ssize_t cam_read(struct file *file, char __user *to, size_t n,
			loff_t *at)
{
	struct fake_module *m = module_of_file(file);
	struct fake_fragment *g;
	ssize_t r;

	while (!(g = take(m, &m->to))) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		r = wait_event_interruptible(m->wait, !list_empty(&m->to));
		if (r)
			return r;
	}
	r = min_t(int, n, g->n);
	if (copy_to_user(to, g->data, r))
		r = -EFAULT;
	kfree(g);
	return r;
}

static ssize_t cam_write(struct file *file, const char __user *from, size_t n,
			 loff_t *at)
{
	struct fake_module *m = module_of_file(file);
	struct fake_fragment *g;

	if (n < 2 || n > FRAGMENT_MAX)
		return -EINVAL;
	g = kmalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->n = n;
	if (copy_from_user(g->data, from, n)) {
		kfree(g);
		return -EFAULT;
	}
	add(m, &m->from, g);
	dvb_ca_en50221_frda_irq(&m->ca, 0);
	return n;
}

static __poll_t cam_poll(struct file *file, poll_table *table)
{
	struct fake_module *m = module_of_file(file);

	poll_wait(file, &m->wait, table);
	return EPOLLOUT | (list_empty(&m->to) ? 0 : EPOLLIN);
}

static const struct file_operations cam_ops = {
	.owner = THIS_MODULE,
	.read = cam_read,
	.write = cam_write,
	.poll = cam_poll,
	.llseek = noop_llseek,
};

static const struct dvb_ca_en50221 ca_ops = {
	.owner = THIS_MODULE,
	.read_attribute_mem = read_attribute,
	.write_attribute_mem = write_attribute,
	.read_cam_control = read_control,
	.write_cam_control = write_control,
	.read_data = read_data,
	.write_data = write_data,
	.slot_reset = reset,
	.slot_shutdown = shut_down,
	.slot_ts_enable = enable_stream,
	.poll_slot_status = poll_slot,
};

int fake_module_init(struct fake *f, int slots)
{
	struct fake_module *m = &f->module;
	int r;

	write_attributes(m);
	spin_lock_init(&m->lock);
	init_waitqueue_head(&m->wait);
	INIT_LIST_HEAD(&m->to);
	INIT_LIST_HEAD(&m->from);
	m->ca = ca_ops;
	r = dvb_ca_en50221_init(&f->adapter, &m->ca, 0, slots);
	if (r < 0)
		return r;
	m->there = true;
	snprintf(m->name, sizeof(m->name), "fakecam%d", f->i);
	m->device = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = m->name,
		.fops = &cam_ops,
	};
	return misc_register(&m->device);
}

void fake_module_done(struct fake *f)
{
	if (!f->module.there)
		return;
	misc_deregister(&f->module.device);
	dvb_ca_en50221_release(&f->module.ca);
}

/* --- a stand-alone slot: what is written to sec0 is read from it --- */

static struct fake_slot *slot_of(struct file *file)
{
	struct fake *f = ((struct dvb_device *)file->private_data)->priv;

	return &f->slot;
}

static bool has_room(struct fake_slot *s)
{
	return kfifo_avail(&s->loop) >= FAKE_PACKET;
}

static bool has_packet(struct fake_slot *s)
{
	return kfifo_len(&s->loop) >= FAKE_PACKET;
}

static ssize_t slot_write(struct file *file, const char __user *from, size_t n,
			  loff_t *at)
{
	struct fake_slot *s = slot_of(file);
	unsigned int copied;
	int r;

	n -= n % FAKE_PACKET;
	if (!n)
		return -EINVAL;
	if (!has_room(s) && (file->f_flags & O_NONBLOCK))
		return -EAGAIN;
	r = wait_event_interruptible(s->wait, has_room(s));
	if (r)
		return r;
	n = min_t(size_t, n,
		  kfifo_avail(&s->loop) / FAKE_PACKET * FAKE_PACKET);
	mutex_lock(&s->lock);
	r = kfifo_from_user(&s->loop, from, n, &copied);
	mutex_unlock(&s->lock);
	wake_up_interruptible(&s->wait);
	return r ? r : copied;
}

static ssize_t slot_read(struct file *file, char __user *to, size_t n,
			 loff_t *at)
{
	struct fake_slot *s = slot_of(file);
	unsigned int copied;
	int r;

	n -= n % FAKE_PACKET;
	if (!n)
		return -EINVAL;
	if (!has_packet(s) && (file->f_flags & O_NONBLOCK))
		return -EAGAIN;
	r = wait_event_interruptible(s->wait, has_packet(s));
	if (r)
		return r;
	n = min_t(size_t, n, kfifo_len(&s->loop) / FAKE_PACKET * FAKE_PACKET);
	mutex_lock(&s->lock);
	r = kfifo_to_user(&s->loop, to, n, &copied);
	mutex_unlock(&s->lock);
	wake_up_interruptible(&s->wait);
	return r ? r : copied;
}

static __poll_t slot_poll(struct file *file, poll_table *table)
{
	struct fake_slot *s = slot_of(file);

	poll_wait(file, &s->wait, table);
	return (has_room(s) ? EPOLLOUT : 0) | (has_packet(s) ? EPOLLIN : 0);
}

static const struct file_operations slot_ops = {
	.owner = THIS_MODULE,
	.write = slot_write,
	.read = slot_read,
	.poll = slot_poll,
	.open = dvb_generic_open,
	.release = dvb_generic_release,
	.llseek = noop_llseek,
};

static const struct dvb_device slot_template = {
	.users = -1,
	.readers = -1,
	.writers = -1,
	.fops = &slot_ops,
};

int fake_slot_init(struct fake *f)
{
	struct fake_slot *s = &f->slot;
	int r = kfifo_alloc(&s->loop, LOOP_SIZE, GFP_KERNEL);

	if (r)
		return r;
	init_waitqueue_head(&s->wait);
	mutex_init(&s->lock);
	return dvb_register_device(&f->adapter, &s->device, &slot_template, f,
				   DVB_DEVICE_SEC, 0);
}

void fake_slot_done(struct fake *f)
{
	if (f->slot.device)
		dvb_unregister_device(f->slot.device);
}
