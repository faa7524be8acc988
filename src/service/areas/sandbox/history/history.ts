import type { Service } from '../../../http/handler.ts';
import type { Account } from '../../../identity/accounts.ts';
import type { Db } from '../../../store/database.ts';
import { agents } from '../../agents/table.ts';
import { campaigns } from '../../campaigns/table.ts';
import { connectChannel, readConnectedChannels } from '../../channels/records.ts';
import { requireAccount } from '../accounts.ts';
import { type Conversation, conversations, type Extent } from './conversations.ts';
import { Random } from './random.ts';
import { type Cast, HistoryWriter, type Written } from './writer.ts';

/** The messages of a transaction, which takes some milliseconds. */
const messagesOfStep = 1_000;

const ownNumber = '+14155550100';

/**
 * Makes up a history of an account, step by step, without events. The same seed makes the same history.
 * @returns how many records of each kind it has
 */
export async function writeHistory({ store, turns }: Service, accountId: string, extent: Extent, seed: number): Promise<Written> {
  const random = new Random(seed);
  const owner = { accounts: [accountId] };
  const { account, cast } = await store.write(async (db) => {
    const found = await requireAccount(db, accountId);
    return { account: found, cast: await makeCast(db, found, extent.now - extent.days * 86_400_000) };
  }, owner);
  const writer = new HistoryWriter(account, cast, extent.now, random);
  let step: Conversation[] = [];
  let size = 0;
  const write = async (isLast: boolean) => {
    const part = step;
    [step, size] = [[], 0];
    await turns.run(() => store.write((db) => writer.write(db, part), { ...owner, isDurable: isLast }));
  };
  for (const conversation of conversations(extent, random)) {
    step.push(conversation);
    size += conversation.said.length;
    if (size >= messagesOfStep) await write(false);
  }
  await write(true);
  return writer.written;
}

/** Creates the agents and campaigns of a history, and connects its number. */
async function makeCast(db: Db, account: Account, at: number): Promise<Cast> {
  const channels = (await readConnectedChannels(db, [account.id])).get(account.id);
  const ownIdentity = channels?.choose('chatapp', []) ?? ownNumber;
  if (!channels?.choose('chatapp', []))
    await connectChannel(db, account.id, { channel: 'chatapp', identity: ownNumber, name: 'Front desk' }, at);
  const { known } = await db
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll<number>().as('known'))
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow();
  const made: Cast = { ownIdentity, agents: [], campaigns: [], known };
  for (const name of ['Ada', 'Max']) made.agents.push((await agents.create(db, account.id, { name }, at)).id);
  for (const [index, name] of ['Spring menu', 'Check-ups', 'New arrivals'].entries())
    made.campaigns.push(
      (await campaigns.create(db, account.id, { name, agent_id: made.agents[index % 2] ?? null, channel: 'chatapp' }, at)).id,
    );
  return made;
}
