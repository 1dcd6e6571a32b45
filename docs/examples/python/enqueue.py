"""Writes an order and enqueues its invoice in one transaction; prints the ticket's id."""

import json
import os
import sys

import psycopg2


def place_order(connection, customer):
    with connection, connection.cursor() as cursor:  # commits at the end, rolls back on an exception
        cursor.execute("INSERT INTO orders (customer) VALUES (%s) RETURNING id", (customer,))
        order = cursor.fetchone()[0]
        cursor.execute(
            "SELECT holdfast.enqueue_ticket(design => 'invoice', title => %s, payload => %s::jsonb, unique_key => %s)",
            (f"invoice of order {order}", json.dumps({"order": order, "customer": customer}), f"invoice-{order}"),
        )
        ticket = cursor.fetchone()[0]
        if not customer.strip():
            raise ValueError("an order needs a customer")  # takes back both, the order and the ticket
        return ticket


if __name__ == "__main__":
    print(place_order(psycopg2.connect(os.environ["DATABASE_URL"]), sys.argv[1]))
