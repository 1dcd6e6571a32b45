"""Works one ticket: reads it on stdin, prints its result on the last line."""

import json
import os
import sys

ticket = json.load(sys.stdin)
order = ticket["payload"]

if order["customer"] == "busy" and os.environ["HOLDFAST_ATTEMPT"] == "1":
    # Say outright what is wrong and when to come back, where you know it.
    print(json.dumps({"error": "the printer is busy", "category": "transient", "retry_after_ms": 100}))
    sys.exit(75)

print("printing", file=sys.stderr)  # kept for people: holdfast logs ID
print(json.dumps({"invoice": f"{order['customer']}-{order['order']}"}))
