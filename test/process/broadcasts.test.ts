import { describe, expect } from 'vitest';
import { call, engines, type Ready } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

// A server is killed with -9 while it sends a broadcast: whoever it says got it has exactly one message, and nobody else has one.

const recipientCount = 2_000;

interface Recipient {
  readonly contact_id: string;
  readonly status: string;
  readonly message_id: string | null;
}

/** Calls that act with the first account of a server. */
function callsOf({ base_url: base, sandbox_url: sandbox, sandbox_token: token, account_id: account }: Ready, key: string) {
  const api = async (method: string, path: string, body?: object) => (await call(`${base}${path}`, key, method, body)).body as never;
  const control = (method: string, path: string, body: object) => call(`${sandbox}${path}`, token, method, body);
  return { api, control, ofAccount: (method: string, path: string, body: object) => control(method, `/accounts/${account}${path}`, body) };
}

type Calls = ReturnType<typeof callsOf>;

/** Makes a broadcast to many contacts, and approves it. @returns its id */
async function begin({ api, ofAccount }: Calls): Promise<string> {
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await ofAccount('PATCH', '', { plan, credits: 2 * recipientCount });
  await ofAccount('POST', '/channels', { channel: 'chatapp', identity: '+14155550100' });
  const ids: string[] = [];
  for (let from = 0; from < recipientCount; from += 500) {
    const contacts = Array.from({ length: 500 }, (_, index) => ({ phone_number: `+1415${2_000_000 + from + index}` }));
    ids.push(...((await api('POST', '/contacts/import', { contacts })) as { contact_ids: string[] }).contact_ids);
  }
  const body = { name: 'Spring', channel: 'chatapp', body: 'Hello', contact_ids: ids };
  const { broadcast } = (await api('POST', '/broadcasts', body)) as { broadcast: { id: string } };
  await api('POST', `/broadcasts/${broadcast.id}/submit`);
  await api('POST', `/broadcasts/${broadcast.id}/approve`);
  return broadcast.id;
}

async function countsOf({ api }: Calls, id: string): Promise<{ waiting: number; sent: number; failed: number }> {
  return ((await api('GET', `/broadcasts/${id}/recipients?limit=1`)) as { counts: { waiting: number; sent: number; failed: number } })
    .counts;
}

async function allRecipients({ api }: Calls, id: string): Promise<Recipient[]> {
  const all: Recipient[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await api('GET', `/broadcasts/${id}/recipients?limit=100${from}`)) as {
      recipients: Recipient[];
      next_cursor: string | null;
    };
    all.push(...page.recipients);
    cursor = page.next_cursor;
  }
  return all;
}

describe.each(engines)('on %s', (engine) => {
  it('the recipients of a broadcast agree with its messages after kill -9', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    const id = await begin(callsOf(first.ready, key));
    await until(async () => (await countsOf(callsOf(first.ready, key), id)).sent > 0);
    first.child.kill('SIGKILL');
    await first.exited;
    const second = await workplace.serve(options);
    const calls = callsOf(second.ready, key);
    const ended = { waiting: 0, sent: recipientCount, delivered: 0, read: 0, replied: 0, failed: 0 };
    await until(async () => (await countsOf(calls, id)).waiting === 0);
    expect(await countsOf(calls, id)).toEqual(ended);
    const recipients = await allRecipients(calls, id);
    expect(recipients).toHaveLength(recipientCount);
    expect(new Set(recipients.map(({ message_id: message }) => message)).size).toBe(recipientCount);
    // Looks at some from each part.
    for (const { contact_id: contact, message_id: message } of recipients.filter((_, index) => index % 25 === 0)) {
      const { messages } = (await calls.api('GET', `/contacts/${contact}/messages`)) as { messages: { id: string }[] };
      expect(messages.map((each) => each.id)).toEqual([message]);
    }
    const { balance } = (await calls.api('GET', '/users/me/credits')) as { balance: number };
    expect(balance).toBe(recipientCount);
  });
});
