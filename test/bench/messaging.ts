import { makeAccounts, phoneNumber, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { drive, requestText } from './connections.ts';
import { type Line, median, perSecond, rateLine, ratioLine } from './report.ts';
import { newStores, startServer } from './server.ts';
import { sendToNewContacts } from './sends.ts';

/** Minimum rates per second for each engine. */
const budgets: Readonly<Record<string, { imports: number; sends: number; spread: number | null }>> = {
  SQLite: { imports: 35_000, sends: 6_000, spread: 4_000 },
  // Sends from several accounts on PostgreSQL are measured in scaling.ts.
  PostgreSQL: { imports: 20_000, sends: 3_000, spread: null },
};

/** Measures importing contacts and sending to them over HTTP. Each write is durable and updates credits and counters. */
export async function* measureMessaging(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { imports, sends, spread } = budgets[engine] ?? { imports: 0, sends: 0, spread: null };
    const { child, ready, port } = await startServer(workplace, options);
    const accounts = await makeAccounts(ready, 8);
    const account = accounts[0] as TestAccount;
    const ids: string[] = [];
    let made = 0;
    let keyed = 0;
    const importContacts = (calls: number) => {
      let left = calls;
      const next = () => {
        if (left-- <= 0) return null;
        const contacts = Array.from({ length: 500 }, () => ({
          phone_number: phoneNumber(made++),
          first_name: 'Ada',
          last_name: 'Lovelace',
        }));
        return requestText('POST', '/v1/contacts/import', account.key, { contacts });
      };
      return drive([port], 2, next, (text) => ids.push(...(JSON.parse(text) as { contact_ids: string[] }).contact_ids));
    };
    const sendToKnownContacts = (count: number, isKeyed = false) => {
      let left = count;
      return drive([port], 128, () => {
        if (left-- <= 0) return null;
        const body = { contact_id: ids[left % ids.length], body: 'Your table is ready.' };
        return requestText('POST', '/v1/contacts/send', account.key, body, isKeyed ? `send-${keyed++}` : undefined);
      });
    };
    await importContacts(20);
    const imported: number[] = [];
    for (let round = 0; round < 3; round++) imported.push((await importContacts(60)).rate * 500);
    yield rateLine(`contacts imported, ${engine}`, median(imported), imports);
    await sendToKnownContacts(1000);
    const sent: number[] = [];
    for (let round = 0; round < 3; round++) sent.push((await sendToKnownContacts(4000)).rate);
    yield rateLine(`sends of one account, ${engine}`, median(sent), sends);
    const shares: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < 3; round++) {
      const { rate: without } = await sendToKnownContacts(4000);
      const { rate } = await sendToKnownContacts(4000, true);
      shares.push(without / rate);
      rates.push(rate);
    }
    yield ratioLine(`sends with an Idempotency-Key, ${engine}`, perSecond(median(rates)), median(shares), 'as long as without', {
      atMost: 1.3,
    });
    if (spread !== null) {
      await sendToNewContacts([port], accounts, 1000);
      const spreadOut: number[] = [];
      for (let round = 0; round < 3; round++) spreadOut.push((await sendToNewContacts([port], accounts, 4000)).rate);
      yield rateLine(`sends of 8 accounts to new contacts, ${engine}`, median(spreadOut), spread);
    }
    await end(child, 'SIGKILL');
  }
}
