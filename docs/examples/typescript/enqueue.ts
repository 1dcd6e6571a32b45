// Writes an order and enqueues its invoice in one transaction; prints the ticket's id.
import pg from 'pg';

async function placeOrder(client: pg.Client, customer: string): Promise<string> {
  await client.query('BEGIN');
  try {
    const order = await client.query('INSERT INTO orders (customer) VALUES ($1) RETURNING id', [customer]);
    const id: string = order.rows[0].id;
    const ticket = await client.query(
      "SELECT holdfast.enqueue_ticket(design => 'invoice', title => $1, payload => $2::jsonb, unique_key => $3) AS id",
      [`invoice of order ${id}`, JSON.stringify({ order: Number(id), customer }), `invoice-${id}`],
    );
    if (customer.trim() === '') {
      throw new Error('an order needs a customer'); // takes back both, the order and the ticket
    }
    await client.query('COMMIT');
    return ticket.rows[0].id;
  } catch (e) {
    await client.query('ROLLBACK');
    throw e;
  }
}

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
try {
  console.log(await placeOrder(client, process.argv[2] ?? ''));
} finally {
  await client.end();
}
