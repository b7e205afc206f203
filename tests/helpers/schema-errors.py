# SPDX-License-Identifier: GPL-3.0-or-later
# The errors that python3-jsonschema finds: {schema, documents} on standard
# input, the paths of the errors of each document on standard output.
import json
import sys

from jsonschema import Draft202012Validator

asked = json.load(sys.stdin)
Draft202012Validator.check_schema(asked['schema'])
judge = Draft202012Validator(asked['schema'])
json.dump([[list(error.absolute_path) for error in judge.iter_errors(document)]
           for document in asked['documents']], sys.stdout)
