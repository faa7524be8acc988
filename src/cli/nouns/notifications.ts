import * as contract from '../../contract/areas/notifications/endpoints.ts';
import { usageError } from '../errors.ts';
import type { Result, ResultRow } from '../output/result.ts';
import { entityField } from '../lookups/entities.ts';
import { withNamedFields } from '../lookups/named.ts';
import { callVerb } from '../verb/call-verb.ts';
import { follow } from '../verb/follow.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';

const columns = ['id', 'kind', 'severity', 'title', 'text', 'entity.type', 'entity.id', 'read_at', 'created_at'] as const;

/** On a terminal, the text, which says what happened and what to do, gets the place of the title. */
const table = ['created_at', 'severity', 'text', 'entity.id', 'read_at', 'id'] as const;

/** Marks one notification as read, or all. */
async function read({ targets, notes }: Session, [id]: readonly string[], { all }: Options): Promise<Result> {
  if ((id === undefined) === (all !== true)) throw usageError('Give the id of a notification, or --all');
  const client = await targets.client();
  if (id !== undefined) {
    const { notification } = await client.call(contract.readNotification, { params: { id } });
    return { kind: 'record', answer: { notification }, record: notification, columns };
  }
  const answer = await client.call(contract.readAllNotifications, { body: {} });
  notes.say(`Marked ${answer.read} as read.`);
  return { kind: 'record', answer, record: answer };
}

/** Shows what happens from now on, until it is interrupted. */
async function watch(session: Session): Promise<Result> {
  const client = await session.targets.client();
  const { notifications: known } = await client.call(contract.listNotifications, { query: { limit: 1 } });
  const followed = { endpoint: contract.streamNotifications, input: {}, what: 'notifications', newest: known[0]?.id };
  const events = await follow(session, followed);
  const pages = async function* () {
    for await (const { data } of events) yield { rows: [data as ResultRow], next_cursor: null };
  };
  return { kind: 'list', field: 'notifications', pages: pages(), paged: false, columns };
}

export const notifications: Noun = {
  name: 'notifications',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listNotifications,
        examples: [
          ['msgctl notifications list --unread', 'what nobody has read yet'],
          ['msgctl notifications list --kind webhook_disabled', 'only one kind'],
        ],
        fields: ['kind', 'unread'],
        shown: { columns, table },
      }),
      [entityField],
    ),
    {
      name: 'read',
      summary: 'Mark a notification as read, or all',
      examples: [
        ['msgctl notifications read ntf_1', 'mark one'],
        ['msgctl notifications read --all', 'mark all'],
      ],
      arguments: [{ name: 'id', summary: 'the id of a notification', isOptional: true }],
      options: [{ flags: '--all', summary: 'mark all notifications' }],
      endpoint: contract.readNotification,
      shown: { columns },
      run: read,
    },
    {
      name: 'watch',
      summary: 'Show what happens, as it happens',
      examples: [
        ['msgctl notifications watch', 'until Ctrl-C'],
        ['msgctl notifications watch -o ndjson | while read -r line; do notify-send "$line"; done', 'pass each on'],
      ],
      endpoint: contract.streamNotifications,
      scope: 'one account',
      shown: { columns },
      text: async (rows, screen) => (await import('./notifications/watch-lines.ts')).watchLines(rows, screen),
      run: watch,
    },
  ],
};
