import { InterfaceError, NetworkError } from '../../../client/errors.ts';
import type { Session, Shown, Verb } from '../../verb/noun.ts';
import { type GlobalOptions, showsColumn } from '../../global-options.ts';
import type { Page, Result } from '../../output/result.ts';
import { addressOf, readReceiver, readReceivers, type Receiver, stateOf, type Webhook } from '../../receivers/health.ts';
import { commandFor } from './command-line.ts';

/** Whether to show the state of receivers, which needs another request. */
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
      return recordWithState(await readReceiver(await session.targets.client(), result.record as Webhook));
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
      const client = await session.targets.client();
      const receiver = await readReceiver(client, webhook).catch((error: unknown) => noteUnknown(session, error));
      if (receiver === undefined) return result;
      if (webhook.enabled && receiver.health?.is_disabled) notePaused(session, webhook, receiver.health.disabled_reason);
      return shows ? recordWithState(receiver) : result;
    },
  };
}

/** A verb that creates a webhook. A note says when deliveries to its address are paused, because of another webhook. */
export function startingPaused(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const isOff = options.enabled === false || session.input.enabled === false;
      if (result.kind !== 'record' || session.notes.isQuiet || isOff) return result;
      const webhook = result.record as Webhook;
      const client = await session.targets.client();
      const receiver = await readReceiver(client, webhook).catch((error: unknown) => noteUnknown(session, error));
      if (receiver?.health?.is_disabled) notePaused(session, webhook, receiver.health.disabled_reason);
      return result;
    },
  };
}

async function* withStates(session: Session, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const { rows, next_cursor } of pages) {
    const receivers = await readReceivers(session);
    // By name, because positions may have shifted between the two requests.
    const states = new Map(receivers.map((receiver) => [addressOf(receiver.webhook), stateOf(receiver)]));
    yield { rows: rows.map((row) => ({ ...row, state: states.get(addressOf(row as unknown as Webhook)) ?? null })), next_cursor };
  }
}

function recordWithState(receiver: Receiver): Result {
  const record = { ...receiver.webhook, state: stateOf(receiver) };
  return { kind: 'record', answer: { webhook: record }, record };
}

/** The change was made, so a failure to read the health afterwards is only noted. */
function noteUnknown({ notes }: Session, error: unknown): undefined {
  if (!(error instanceof InterfaceError || error instanceof NetworkError)) throw error;
  notes.say(`The webhook was changed. The state of its receiver could not be read: ${error.message}`);
}

function notePaused(session: Session, webhook: Webhook, reason: string | null): void {
  session.notes.say([
    `The webhook ${webhook.name} is turned on, but deliveries to its address are paused: ${reason ?? 'its receiver is disabled'}.`,
    'Once the receiver works, enable deliveries again:',
    commandFor(session, 'webhooks reenable', webhook),
  ]);
}
