import { makeAccounts, phoneNumber, request, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { drive, requestText } from './connections.ts';
import { type Line, median, perSecond, ratioLine } from './report.ts';
import { type MeasuredServer, newStores, startServer } from './server.ts';

/** Number of rules and FAQs in the two accounts. The default of the channel is the 1,000th entry point that an account can have. */
const sizes = { few: { rules: 10, faqs: 10 }, many: { rules: 999, faqs: 10_000 } } as const;

/**
 * Measures messages that are routed and answered, with few and with many rules and FAQs. Then measures the import of the FAQs
 * and the check for duplicates.
 */
export async function* measureAnswers(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const server = await startServer(workplace, options);
    const [few, many] = (await makeAccounts(server.ready, 2)) as [TestAccount, TestAccount];
    await fill(server, few, sizes.few);
    const filled = await fill(server, many, sizes.many);
    const checked = await dedupe(server, many);
    await receive(server, few, 300);
    await receive(server, many, 300);
    const rates: Record<'few' | 'many', number[]> = { few: [], many: [] };
    for (let round = 0; round < 5; round++) {
      rates.few.push(await receive(server, few, 1_500));
      rates.many.push(await receive(server, many, 1_500));
    }
    const [withFew, withMany] = [median(rates.few), median(rates.many)];
    yield ratioLine(
      `messages answered, 1,000 rules and 10,000 FAQs, ${engine}`,
      perSecond(withMany),
      withFew / withMany,
      `as long as with 10 and 10 (${perSecond(withFew)})`,
      { atMost: 1.5 },
    );
    yield seconds(`10,000 FAQs imported, ${engine}`, filled.imported);
    yield seconds(`their search data prepared, ${engine}`, filled.prepared);
    yield seconds(`10,000 FAQs checked for duplicates, ${engine}`, checked);
    await end(server.child, 'SIGKILL');
  }
}

function seconds(what: string, milliseconds: number): Line {
  return { what, value: `${(milliseconds / 1_000).toFixed(1)} s`, ratio: '', budget: '', isKept: null };
}

const products =
  'kettle toaster mixer lamp sofa chair desk shelf mirror carpet curtain pillow blanket mattress bicycle helmet tent jacket boots watch'.split(
    ' ',
  );

const questions = [
  'How do I clean the {}?',
  'What does the {} weigh?',
  'Is the {} waterproof?',
  'How long does delivery of the {} take?',
  'Can I return the {}?',
  'Which warranty does the {} have?',
  'In which colours is the {} available?',
  'Where can I find the manual of the {}?',
  'Can I order spare parts for the {}?',
  'Is the {} suitable for children?',
];

/** The question of a FAQ. There are ten FAQs for each model. */
function question(index: number): string {
  const model = Math.floor(index / questions.length);
  return (questions[index % questions.length] ?? '').replace('{}', `${products[model % products.length] ?? ''} ${kindOf(model)}`);
}

const kinds =
  'Alpha Bravo Copper Delta Eagle Falcon Granite Harbor Indigo Jasmine Kodiak Lunar Maple Nordic Orchid Pacific Quartz Raven Saturn Topaz Ursa Violet Willow Xenon Zenith Amber Basalt Coral Dune Ember Fjord Glacier Helio Ivory Jade Krill Lotus Meteor Nimbus Onyx Pebble Quill Reef Storm Tundra Umber Vertex Wave Yarrow Zephyr'.split(
    ' ',
  );

/** The kind of a model: a word that occurs in the FAQs of all products of this kind. */
function kindOf(model: number): string {
  return kinds[Math.floor(model / products.length) % kinds.length] ?? '';
}

/** Creates an agent with rules and FAQs in an account. @returns how long the FAQs took, in milliseconds */
async function fill({ ready }: MeasuredServer, { id, key }: TestAccount, { rules, faqs }: { rules: number; faqs: number }) {
  const call = (method: string, path: string, body: unknown) => request(`${ready.base_url}${path}`, key, method, body);
  await request(`${ready.sandbox_url}/accounts/${id}`, ready.sandbox_token, 'PATCH', { credits: 100_000_000 });
  const { agent_id: agent } = await call('POST', '/agents', { name: 'Ada' });
  await call('PUT', '/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent });
  for (let rule = 0; rule < rules; rule++) {
    const match = { keywords: [`keyword ${rule}`, `order number ${rule * 7_919}`] };
    await call('POST', `/agents/${String(agent)}/entry-points`, { type: 'keyword', channels: ['chatapp'], match_config: match });
  }
  const { campaign } = (await call('POST', '/campaigns', { name: 'Bench', agent_id: agent })) as { campaign: { id: string } };
  const began = performance.now();
  for (let from = 0; from < faqs; from += 500) {
    const part = Array.from({ length: Math.min(500, faqs - from) }, (_, index) => ({
      question: question(from + index),
      answer: `The page of the product has everything about this, in the part ${from + index}.`,
    }));
    await call('POST', '/faqs/import', { campaign_id: campaign.id, faqs: part });
  }
  const imported = performance.now() - began;
  await settle(ready);
  return { imported, prepared: performance.now() - began - imported };
}

async function settle(ready: MeasuredServer['ready']): Promise<void> {
  await request(`${ready.sandbox_url}/settle`, ready.sandbox_token, 'POST', {});
}

async function dedupe({ ready }: MeasuredServer, { key }: TestAccount): Promise<number> {
  const began = performance.now();
  await request(`${ready.base_url}/faqs/dedupe`, key, 'POST', {});
  await settle(ready);
  return performance.now() - began;
}

/** The first phone number that no import uses. */
let made = 3_000_000;

/** Sends messages from new contacts. @returns the number of messages answered per second */
async function receive({ ready, port }: MeasuredServer, { id }: TestAccount, count: number): Promise<number> {
  let left = count;
  const { rate } = await drive([port], 16, () => {
    if (left-- <= 0) return null;
    // Half of the messages have a typo. One in ten is about something else.
    const asked = left % 10 === 0 ? 'Do you know a good restaurant?' : question(left % sizes.few.faqs);
    const text = left % 2 === 0 ? asked : asked.replace('kettle', 'ketlte');
    const body = { channel: 'chatapp', from: phoneNumber(made++), text };
    return requestText('POST', `/sandbox/accounts/${id}/inbound`, ready.sandbox_token ?? '', body);
  });
  return rate;
}
