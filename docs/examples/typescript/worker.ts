// Works one ticket: reads it on stdin, prints its result on the last line.
import { readFileSync } from 'node:fs';

interface Ticket {
  id: number;
  payload: { order: number; customer: string };
}

const ticket: Ticket = JSON.parse(readFileSync(0, 'utf8'));
const order = ticket.payload;

if (order.customer === 'busy' && process.env.HOLDFAST_ATTEMPT === '1') {
  // Say outright what is wrong and when to come back, where you know it.
  console.log(JSON.stringify({ error: 'the printer is busy', category: 'transient', retry_after_ms: 100 }));
  process.exit(75);
}

console.error('printing'); // kept for people: holdfast logs ID
console.log(JSON.stringify({ invoice: `${order.customer}-${order.order}` }));
