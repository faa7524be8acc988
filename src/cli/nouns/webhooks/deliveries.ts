import { InterfaceError } from '../../../client/errors.ts';
import type { Client } from '../../../client/client.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import * as contract from '../../../contract/areas/webhooks/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { RowOf } from '../../../contract/call.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { showsColumn } from '../../global-options.ts';
import { mapRows, type Page, type Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';
import { deliveryText, outcomeOf } from '../../receivers/delivery-text.ts';
import { addressOf, type Webhook } from '../../receivers/health.ts';
import type { Session, Verb } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';

type Listed = RowOf<typeof contract.listWebhookDeliveries>;

/** The error for a service that does not answer an endpoint of deliveries. */
export function notOffered(what: string, hint: string): CliError {
  return new CliError(exitCodes.notFound, 'not_found', `The service does not ${what}`, { hint });
}

/** Whether a service does not have an endpoint. A 404 about a record says which one is missing. */
export function isNotOffered(error: unknown): boolean {
  return error instanceof InterfaceError && error.status === 404 && error.reason === undefined;
}

/** A list of deliveries with `--failed`, and in tables with the answer to the last attempt. */
export function withAnswers(verb: Verb): Verb {
  return {
    ...verb,
    options: [{ flags: '--failed', summary: 'only deliveries that failed, the same as --state failed', fills: ['state'] }],
    shown: verb.shown && {
      ...verb.shown,
      table: ['occurred_at', 'event', 'state', 'answer', 'id', 'attempts', 'next_attempt_at', 'account_id'],
    },
    run: async (session, values, { failed, ...options }) => {
      if (failed && options.state !== undefined) throw usageError('--failed and --state cannot be used together');
      const result = await verb.run(session, values, failed ? { ...options, state: 'failed' } : options);
      if (result.kind !== 'list') return result;
      const pages = orNotOffered(result.pages, session, values[0] ?? '');
      if (!showsColumn(session.globals, 'answer')) return { ...result, pages };
      return { ...result, pages: mapRows(pages, (row) => ({ ...row, answer: answerOf(row as unknown as Listed) })) };
    },
  };
}

function answerOf({ last }: Listed): string | null {
  return last && outcomeOf(last);
}

async function* orNotOffered(pages: AsyncIterable<Page>, session: Session, webhook: string): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    if (!isNotOffered(error)) throw error;
    throw notOffered(
      'list deliveries',
      `\`msgctl webhooks health ${shellWord(webhook)}${sameTarget(session)}\` shows how many failed, and why the last one did.`,
    );
  }
}

/** The maximum number of webhooks that are asked for a delivery at the same time. */
const askedAtOnce = 4;

type Delivery = Answer<typeof contract.getWebhookDelivery>['delivery'];

/** Finds a delivery, and the webhook that it belongs to. @throws CliError 5 if no webhook has it */
async function findDelivery(session: Session, client: Client, id: string): Promise<{ webhook: Webhook; delivery: Delivery }> {
  const { webhooks } = await client.call(contract.listWebhooks, {});
  const answers = await inParallel(webhooks, askedAtOnce, async (webhook) => {
    const params = { webhookId: addressOf(webhook), deliveryId: id };
    try {
      return { webhook, ...(await client.call(contract.getWebhookDelivery, { params })) };
    } catch (error) {
      if (isNotOffered(error))
        throw notOffered('show deliveries', `\`msgctl webhooks health${sameTarget(session)}\` shows the last failure of each receiver.`);
      if (error instanceof InterfaceError && error.status === 404) return null;
      throw error;
    }
  });
  const found = answers.find((answer) => answer !== null);
  if (found) return found;
  throw new CliError(exitCodes.notFound, 'not_found', `No webhook has a delivery '${id}'`, {
    hint: `\`msgctl webhooks deliveries WEBHOOK${sameTarget(session)}\` lists the deliveries of a webhook.`,
  });
}

/** Shows a delivery with what was sent and every answer. */
export async function showDelivery(session: Session, id: string): Promise<Result> {
  const { delivery } = await findDelivery(session, await session.targets.client(), id);
  return { kind: 'document', document: { delivery }, text: deliveryText(delivery, delivery.request_body) };
}

/** Attempts a delivery once more. The exit code is 1 if the receiver refuses it. */
export async function resendDelivery(session: Session, id: string): Promise<Result> {
  const client = await session.targets.client();
  const { webhook } = await findDelivery(session, client, id);
  const answer = await client.call(contract.resendWebhookDelivery, { params: { webhookId: addressOf(webhook), deliveryId: id } });
  const { delivered, error_message: why } = answer;
  const show = `msgctl webhooks deliveries show ${shellWord(id)}${sameTarget(session)}`;
  session.notes.say(
    delivered ? `The receiver of ${webhook.name} accepted the delivery.` : `Not delivered: ${why}. \`${show}\` shows every attempt.`,
  );
  return { kind: 'record', answer, record: answer, exitCode: delivered ? exitCodes.done : exitCodes.failed };
}
