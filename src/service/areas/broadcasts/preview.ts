import type { BroadcastCode } from '../../../contract/areas/errors/codes.ts';
import { iso } from '../../../contract/time/instants.ts';
import { type FindZone, loadZones } from '../../../contract/time/zones.ts';
import { ApiError } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { toCredits } from '../../store/millionths.ts';
import { Journal } from '../activity/journal.ts';
import { membersInSteps } from '../audiences/count.ts';
import { existingLists, type Member } from '../audiences/parts.ts';
import { readBalance } from '../credits/records.ts';
import { priceMessages } from '../messages/send.ts';
import { requireApproved } from '../templates/records.ts';
import { quietUntil } from './quiet-hours.ts';
import { codeOfRefusal, isLater, nextStatus } from './rules.ts';
import { chunk, writePart } from './sending.ts';
import { type Broadcast, broadcasts } from './table.ts';

/** What the messages of a broadcast would be, so far. */
interface Tally {
  recipients: number;
  duplicates: number;
  reachable: number;
  millionths: number;
  readonly unreachable: Map<BroadcastCode, number>;
}

/**
 * Previews what approving a broadcast now would do. Works in steps, so that other requests are served in between.
 * @throws ApiError 404 for an unknown broadcast, 409 when it has begun, 400 without recipients and where approving is 400
 */
export async function previewBroadcast(service: Service, account: Account, id: string, now: number) {
  const { store, scheduler } = service;
  const { broadcast, lists } = await store.read(async (db) => {
    const found = await broadcasts.require(db, account.id, id);
    await checkApprovable(db, found, now);
    return { broadcast: found, lists: await existingLists(db, account.id, found.list_ids) };
  });
  const tally: Tally = { recipients: 0, duplicates: 0, reachable: 0, millionths: 0, unreachable: new Map() };
  for await (const { members, areNamed } of membersInSteps(service, account.id, broadcast))
    for (let from = 0; from < members.length; from += chunk) {
      const some = members.slice(from, from + chunk);
      await scheduler.run(() =>
        store.read(async (db) => {
          await addMessages(db, tally, new Journal(db, account, now), broadcast, some);
          tally.duplicates += await countRepeated(db, broadcast, lists, some, areNamed);
        }),
      );
    }
  if (tally.recipients === 0) throw new ApiError(400, 'The broadcast has no recipients');
  const { millionths: balance } = await store.read((db) => readBalance(db, account.id));
  return {
    recipients: tally.recipients,
    reachable: tally.reachable,
    unreachable: Object.fromEntries(tally.unreachable),
    duplicates: tally.duplicates,
    credits: toCredits(tally.millionths),
    balance: toCredits(balance),
    affordable: tally.millionths <= balance,
    starts_at: iso(startsAt(account, broadcast, now, await loadZones())),
  };
}

/** @throws ApiError 409 when the broadcast has begun, 400 or 404 when approving it now would be */
async function checkApprovable(db: Db, { account_id: accountId, ...broadcast }: Broadcast, now: number): Promise<void> {
  const waits = broadcast.status === 'Draft' || broadcast.status === 'Scheduled' ? 'Pending Approval' : broadcast.status;
  const status = nextStatus(waits, 'approve', isLater(broadcast, now));
  if (status === undefined) throw new ApiError(409, `The broadcast is ${broadcast.status}: only one that has not begun has a preview`);
  if (status === 'Sending' && broadcast.template_id !== null) await requireApproved(db, accountId, broadcast.template_id);
}

/** Adds the messages to some contacts. The journal is only read. */
async function addMessages(db: Db, tally: Tally, journal: Journal, broadcast: Broadcast, members: readonly Member[]): Promise<void> {
  const { outgoing, codes } = await writePart(db, journal, broadcast, members);
  const refused = [...codes.values()];
  for (const price of await priceMessages(db, outgoing)) {
    if (price instanceof ApiError) refused.push(codeOfRefusal(price));
    else {
      tally.reachable++;
      tally.millionths += price;
    }
  }
  for (const code of refused) tally.unreachable.set(code, (tally.unreachable.get(code) ?? 0) + 1);
  tally.recipients += members.length;
}

/** How many of these contacts are named more than once. @param areNamed whether they are named by id, and not by a list alone */
async function countRepeated(
  db: Db,
  { repeated_ids: repeated }: Broadcast,
  lists: readonly string[],
  members: readonly Member[],
  areNamed: boolean,
): Promise<number> {
  const onLists = await db
    .selectFrom('list_contacts')
    .select(({ fn }) => ['contact_seq', fn.countAll<number>().as('lists')])
    .where(isAmong(db, 'list_id', JSON.stringify(lists)))
    .where(isNumberAmong(db, 'contact_seq', JSON.stringify(members.map(({ contact_seq: seq }) => seq))))
    .groupBy('contact_seq')
    .execute();
  const times = new Map(onLists.map(({ contact_seq: seq, lists: count }) => [seq, count]));
  const isRepeated = ({ contact_seq: seq, contact_id: id }: Member) =>
    Number(areNamed) + Number(areNamed && repeated.includes(id)) + (times.get(seq) ?? 0) > 1;
  return members.filter(isRepeated).length;
}

/** When the first message is sent: now or as scheduled, and after the quiet hours. */
function startsAt(account: Account, { scheduled_at: scheduled }: Broadcast, now: number, findZone: FindZone): number {
  for (let start = Math.max(now, scheduled ?? now); ;) {
    const end = quietUntil(account, start, findZone);
    if (end === null) return start;
    start = end;
  }
}
