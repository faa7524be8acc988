import { InterfaceError, NetworkError } from '../../../client/errors.ts';
import { getWebhookHealth } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Session, Shown, Verb } from '../../command/noun.ts';
import { type GlobalOptions, showsColumn } from '../../global-options.ts';
import type { Page, Result } from '../../output/result.ts';
import { type Health, readReceivers, stateOf, type Webhook } from '../../receivers/health.ts';
import { commandFor } from './command-line.ts';

/** Whether to show the state of receivers, which needs one request for each. */
const showsState = (globals: GlobalOptions) => showsColumn(globals, 'state');

/** The columns of a table of webhooks. The state follows the name, because it is more informative than the switch. */
function shownWithState({ shown }: Verb): Shown | undefined {
  return shown && { ...shown, table: shown.columns.toSpliced(2, 0, 'state') };
}

/** A verb that shows webhooks and adds the state of their receivers. */
export function withState(verb: Verb): Verb {
  return {
    ...verb,
    shown: shownWithState(verb),
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (!showsState(session.globals)) return result;
      if (result.kind === 'list') return { ...result, pages: withStates(session, result.pages) };
      if (result.kind !== 'record') return result;
      const webhook = result.record as Webhook;
      return recordWithState(webhook, await readHealth(session, webhook));
    },
  };
}

/**
 * A verb that changes a webhook. Prints a note if the receiver was disabled automatically, because the change does not enable
 * it again.
 */
export function changingState(verb: Verb): Verb {
  return {
    ...verb,
    shown: shownWithState(verb),
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const shows = showsState(session.globals);
      if (result.kind !== 'record' || (!shows && session.notes.isQuiet)) return result;
      const webhook = result.record as Webhook;
      const health = await readHealth(session, webhook).catch((error: unknown) => noteUnknown(session, error));
      if (health === undefined) return result;
      if (webhook.enabled && health?.is_disabled) notePaused(session, webhook, health.disabled_reason);
      return shows ? recordWithState(webhook, health) : result;
    },
  };
}

async function* withStates({ targets }: Session, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const client = await targets.client();
  for await (const { rows, next_cursor } of pages) {
    const receivers = await readReceivers(client, rows as unknown as Webhook[]);
    const states = new Map(receivers.map((receiver) => [receiver.webhook.id, stateOf(receiver)]));
    yield { rows: rows.map((row) => ({ ...row, state: states.get(row.id as string) ?? null })), next_cursor };
  }
}

function recordWithState(webhook: Webhook, health: Health): Result {
  const record = { ...webhook, state: stateOf({ webhook, health }) };
  return { kind: 'record', answer: { webhook: record }, record };
}

async function readHealth({ targets }: Session, { id }: Webhook): Promise<Health> {
  const { health } = await (await targets.client()).call(getWebhookHealth, { params: { webhookId: id } });
  return health;
}

/** The change was made, so a failure to read the health afterwards is only noted. */
function noteUnknown({ notes }: Session, error: unknown): undefined {
  if (!(error instanceof InterfaceError || error instanceof NetworkError)) throw error;
  notes.say(`The webhook was changed. The state of its receiver could not be read: ${error.message}`);
}

function notePaused(session: Session, webhook: Webhook, reason: string | null): void {
  session.notes.say([
    `The webhook ${webhook.name} is turned on, but deliveries to it stay paused: ${reason ?? 'its receiver is disabled'}.`,
    'Once the receiver works, enable deliveries again:',
    commandFor(session, 'webhooks reenable', webhook),
  ]);
}
