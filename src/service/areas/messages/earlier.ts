import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Message } from './table.ts';

/** How many messages of a conversation a model gets to read. */
const most = 20;

/** A message of a conversation, by the contact or by the account. */
interface Said {
  readonly from: 'contact' | 'account';
  readonly text: string;
}

type SaidRow = Pick<Message, 'id' | 'direction' | 'body'>;

const lastMessages = prepared<{ contact: string; session: string }, SaidRow>((db, $) =>
  db
    .selectFrom('messages')
    .select(['id', 'direction', 'body'])
    .where('contact_id', '=', $.contact)
    .where('session_id', '=', $.session)
    .orderBy('seq', 'desc')
    .limit(2 * most),
);

/** The last messages of a conversation before one of them, oldest first. */
export async function readEarlierTurns(
  db: Db,
  { id, contact_id: contact, session_id: session }: Pick<Message, 'id' | 'contact_id' | 'session_id'>,
): Promise<Said[]> {
  const rows = await lastMessages(db, { contact, session });
  const at = rows.findIndex((row) => row.id === id);
  const before = rows.slice(at + 1, at + 1 + most).reverse();
  return before.map(({ direction, body }) => ({ from: direction === 'inbound' ? 'contact' : 'account', text: body }));
}
