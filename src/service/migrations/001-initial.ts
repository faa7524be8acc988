import { migration } from '../store/migration.ts';
import { accounts } from './001-initial/accounts.ts';
import { agents } from './001-initial/agents.ts';
import { appointments } from './001-initial/appointments.ts';
import { contacts } from './001-initial/contacts.ts';
import { conversations } from './001-initial/conversations.ts';
import { counters } from './001-initial/counters.ts';
import { knowledge } from './001-initial/knowledge.ts';
import { sending } from './001-initial/sending.ts';
import { service } from './001-initial/service.ts';
import { webhooks } from './001-initial/webhooks.ts';

/** The tables that get the most rows, most first. */
const busiest = ['messages', 'credit_ledger', 'ai_calls', 'jobs', 'deliveries', 'events', 'chat_sessions', 'contacts', 'decisions'];

/** The schema of version 0.2.0. */
export const initial = migration('0.2.0', (fragments) => [
  ...accounts(fragments),
  ...service(fragments),
  ...contacts(fragments),
  ...conversations(fragments),
  ...webhooks(fragments),
  ...agents(fragments),
  ...knowledge(fragments),
  ...sending(fragments),
  ...appointments(fragments),
  ...counters(fragments),
  // SQLite reads `sqlite_sequence` from its beginning for each row that it inserts into a table with AUTOINCREMENT. With the messages
  // at the end, histories were 4 % slower.
  ...(fragments.engine === 'sqlite' ? busiest.map((table) => `insert into sqlite_sequence (name, seq) values ('${table}', 0)`) : []),
]);
