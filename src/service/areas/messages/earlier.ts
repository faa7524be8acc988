import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Message } from './table.ts';

/** The maximum number of earlier messages that a model gets. */
const most = 20;

/** A message of a conversation, sent by the contact or by the account. */
interface EarlierMessage {
  readonly from: 'contact' | 'account';
  readonly text: string;
}

type StoredMessage = Pick<Message, 'direction' | 'body'>;

const messagesBefore = prepared<Record<'id' | 'contact' | 'session', string>, StoredMessage>((db, $) =>
  db
    .selectFrom('messages')
    .select(['direction', 'body'])
    .where('contact_id', '=', $.contact)
    .where('session_id', '=', $.session)
    .where('type', '<>', 'tool_use')
    .where('seq', '<', db.selectFrom('messages').select('seq').where('id', '=', $.id))
    .orderBy('seq', 'desc')
    .limit(most),
);

/** The last messages of a conversation before the given one, oldest first. */
export async function readEarlierMessages(
  db: Db,
  { id, contact_id: contact, session_id: session }: Pick<Message, 'id' | 'contact_id' | 'session_id'>,
): Promise<EarlierMessage[]> {
  const rows = await messagesBefore(db, { id, contact, session });
  return rows.reverse().map(({ direction, body }) => ({ from: direction === 'inbound' ? 'contact' : 'account', text: body }));
}
