#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads metrics from its input by the parser of Prometheus' own client, and
prints them as JSON: [{name, type, help, samples: [{name, labels, value}]}]."""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families

print(json.dumps([
    {"name": m.name, "type": m.type, "help": m.documentation,
     "samples": [{"name": s.name, "labels": s.labels, "value": s.value}
                 for s in m.samples]}
    for m in text_string_to_metric_families(sys.stdin.read())]))
