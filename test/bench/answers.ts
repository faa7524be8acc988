import { makeAccounts, phoneNumber, request, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { drive, requestText } from './connections.ts';
import { type Line, median, perSecond, ratioLine, waitLine } from './report.ts';
import { embeddedStore, type MeasuredServer, postgresStore, startServer } from './server.ts';

/** How much an account has. */
interface Size {
  readonly rules: number;
  readonly faqs: number;
}

const small: Size = { rules: 10, faqs: 10 };
const large: Size = { rules: 1_000, faqs: 10_000 };

/** The messages of a round, and the rounds. */
const messages = 1_000;
const rounds = 3;

/** Receives and answers messages of new contacts, with many rules and FAQs and with few; and prepares many FAQs. */
export async function* measureAnswers(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  const engines: [string, () => Promise<string[]>][] = [['SQLite', async () => embeddedStore(workplace)]];
  if (database) engines.push(['PostgreSQL', () => postgresStore(workplace, database)]);
  for (const [engine, options] of engines) {
    const few = await Filled.on(await startServer(workplace, await options()), small);
    const many = await Filled.on(await startServer(workplace, await options()), large);
    yield waitLine(`import of ${large.faqs.toLocaleString('en-US')} FAQs, with their search data, ${engine}`, many.imported, 60_000);
    yield waitLine(`a check of them for duplicates, ${engine}`, await many.dedupe(), 10_000);
    const rates: { few: number; many: number }[] = [];
    await few.answer(messages);
    await many.answer(messages);
    for (let round = 0; round < rounds; round++) rates.push({ few: await few.answer(messages), many: await many.answer(messages) });
    const ratio = median(rates.map((rate) => rate.many / rate.few));
    const reference = `with ${small.rules} rules and ${small.faqs} FAQs`;
    const what = `messages answered, 1,000 rules and 10,000 FAQs, ${engine}`;
    yield ratioLine(what, perSecond(median(rates.map((rate) => rate.many))), ratio, reference, { atLeast: 0.67 });
    await end(few.server.child, 'SIGKILL');
    await end(many.server.child, 'SIGKILL');
  }
}

const things = 'red blue green table chair lamp sofa shelf carpet mirror curtain pillow blanket candle vase clock'.split(' ');

const thing = (number: number) => things[number % things.length] ?? '';

const product = (number: number) => `${thing(number)} ${thing(number * 7 + 3)} model ${number}`;

/** A server with rules and FAQs. */
class Filled {
  readonly server: MeasuredServer;
  readonly #account: TestAccount;
  /** How long the import took, in milliseconds. */
  readonly imported: number;
  #written = 0;

  private constructor(server: MeasuredServer, account: TestAccount, imported: number) {
    this.server = server;
    this.#account = account;
    this.imported = imported;
  }

  static async on(server: MeasuredServer, { rules, faqs }: Size): Promise<Filled> {
    const { ready, port } = server;
    const [account] = (await makeAccounts(ready, 1)) as [TestAccount];
    const call = (method: string, path: string, body: object) => request(ready.base_url + path, account.key, method, body);
    const { agent_id: agent } = await call('POST', '/agents', { name: 'Ada' });
    const { campaign } = (await call('POST', '/campaigns', { name: 'Shop', agent_id: agent })) as { campaign: { id: string } };
    await call('PUT', '/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent });
    let rule = 0;
    await drive([port], 8, () => {
      if (rule === rules) return null;
      const body = { type: 'keyword', channels: ['chatapp'], match_config: { keywords: [product(rule++)] } };
      return requestText('POST', `/v1/agents/${String(agent)}/entry-points`, account.key, body);
    });
    const started = performance.now();
    for (let from = 0; from < faqs; from += 500) {
      const some = Array.from({ length: Math.min(500, faqs - from) }, (_, index) => ({
        question: `How much is the ${product(from + index)}?`,
        answer: `It costs ${from + index}.`,
      }));
      await call('POST', '/faqs/import', { campaign_id: campaign.id, faqs: some });
    }
    await request(`${ready.sandbox_url}/settle`, ready.sandbox_token, 'POST', {});
    return new Filled(server, account, performance.now() - started);
  }

  /** Checks the FAQs for duplicates. @returns how long that took, in milliseconds */
  async dedupe(): Promise<number> {
    const { ready } = this.server;
    const started = performance.now();
    await request(`${ready.base_url}/faqs/dedupe`, this.#account.key, 'POST', {});
    await request(`${ready.sandbox_url}/settle`, ready.sandbox_token, 'POST', {});
    return performance.now() - started;
  }

  /** Lets new contacts write: keywords, questions about products, and others. @returns the messages a second */
  async answer(count: number): Promise<number> {
    const { ready, port } = this.server;
    let left = count;
    const { rate } = await drive([port], 64, () => {
      if (left-- <= 0) return null;
      const number = this.#written++;
      const texts = [product(number % small.rules), `how much is the ${product(number % small.faqs)}`, 'Do you deliver on Sundays?'];
      const body = { channel: 'chatapp', from: phoneNumber(number), text: texts[number % texts.length] };
      return requestText('POST', `/sandbox/accounts/${this.#account.id}/inbound`, ready.sandbox_token ?? '', body);
    });
    return rate;
  }
}
