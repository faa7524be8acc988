import type { Body } from '../../../contract/endpoint.ts';
import type { fillHistory } from '../../../contract/areas/sandbox/store.ts';
import { readNow } from '../../clock/state.ts';
import { notFound } from '../../errors.ts';
import { Semaphore } from '../../flow/shares.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { toMillionths } from '../../store/millionths.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { createAccount } from '../accounts/records.ts';
import { readBalance } from '../credits/records.ts';
import { changeAccount, setBalance } from './accounts.ts';
import { agency, clients } from './history/businesses.ts';
import type { HistoryPlan } from './history/conversations.ts';
import { defaultHistory, sumOf, writeHistory } from './history/history.ts';
import type { HistorySize } from './history/step.ts';
import { canConverse, messagesOfToday, writeToday } from './history/today.ts';

/** Histories are generated one at a time: together they would take the same slots, and repeat their steps. */
const histories = new Semaphore(1);

/** The fewest messages of a history in which one conversation is that of today. */
const leastWithToday = 50;

/** The number of messages of a client: a share of those of the agency, up to a maximum. */
const clientMessages = { share: 0.05, most: 1_000 } as const;

/**
 * Fills the first account with a made-up history and what happened today, and gives it clients with histories if it is an agency
 * (rule activity.17).
 * @param wanted the extent of the history; the rest has its defaults
 * @returns the number of records of each kind that the first account got
 * @throws ApiError 404 without an account, and when one is deleted meanwhile
 */
export async function fillDemonstration(service: Service, wanted: Body<typeof fillHistory>): Promise<HistorySize> {
  return await histories.run(async () => {
    const now = await service.store.read((db) => readNow(db, service.realNow()));
    const first = await service.store.read((db) =>
      db
        .selectFrom('accounts')
        .select(['id', 'kind'])
        .where('parent_id', 'is', null)
        .where('deleted_at', 'is', null)
        .orderBy('seq')
        .executeTakeFirst(),
    );
    if (!first) throw notFound('account');
    const { seed, ...extent } = { ...defaultHistory, ...wanted };
    const plan = { ...extent, now };
    const converses = plan.messages >= leastWithToday && (await canConverse(service, first.id));
    const before = { ...plan, messages: plan.messages - (converses ? messagesOfToday : 0) };
    const history = await writeHistory(service, first.id, agency, before, seed);
    const size = sumOf(history, await writeToday(service, first.id, now, converses));
    if (first.kind === 'agency')
      for (const [index, client] of clients.entries()) await fillClient(service, first.id, client, plan, (seed + index + 1) >>> 0);
    return size;
  });
}

/** Gives an agency a client with a history, which leaves its balance as it was, or that of a new client as its business has it. */
async function fillClient(
  service: Service,
  agencyId: string,
  { name, email, credits, business }: (typeof clients)[number],
  plan: HistoryPlan,
  seed: number,
): Promise<void> {
  const known = await service.store.read((db) => findClient(db, agencyId, name));
  const created = { name, email, kind: 'standard', parentId: agencyId, plan: {} } as const;
  const id = known ?? (await service.store.write((db) => createAccount(db, created, plan.now - plan.days * dayLength)));
  const before = known === undefined ? toMillionths(credits) : (await service.store.read((db) => readBalance(db, id))).millionths;
  const messages = Math.min(clientMessages.most, Math.ceil(plan.messages * clientMessages.share));
  await writeHistory(service, id, business, { ...plan, messages }, seed);
  await changeAccount(service, id, (db, account) => setBalance(db, account, before, plan.now));
}

async function findClient(db: Db, agencyId: string, name: string): Promise<string | undefined> {
  const named = db.selectFrom('accounts').select('id').where('parent_id', '=', agencyId).where('name', '=', name);
  return (await named.where('deleted_at', 'is', null).orderBy('seq').executeTakeFirst())?.id;
}
