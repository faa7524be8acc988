import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import * as contract from '../../../contract/areas/webhooks/endpoints.ts';
import { neverEmitted } from '../../../contract/areas/webhooks/event-names.ts';
import { dayLength, utcDate } from '../../../contract/time/days.ts';
import { describeNetworkError, networkErrorCode } from '../../../contract/network-errors.ts';
import { shellWord } from '../../output/shell-word.ts';
import { terminalText } from '../../output/cell.ts';
import { counted } from '../../../contract/text/counted.ts';
import { addressOf, healthRow, missedText, pausedNames, type Receiver, stateOf, type Webhook } from '../../receivers/health.ts';

/** Timeout for a TLS connection, in milliseconds. */
const connectTimeout = 10_000;

/** Certificates that expire within this many days cause a warning. */
const renewalDays = 14;

/** Receivers that take longer than this cause a warning, in milliseconds. */
const slowAnswer = 3_000;

/** Maximum length of a receiver's response to show. */
const longestAnswer = 300;

/** The result of one check. */
export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly finding: string;
  /** A command to run, or advice as a sentence; null if there is nothing to do. */
  readonly fix: string | null;
  /** Carries out the command; undefined if it changes nothing. */
  readonly remedy?: (() => Promise<unknown>) | undefined;
}

/** A check for output. */
export interface CheckRow extends Omit<Check, 'remedy'> {
  /** The name of the webhook; null for a finding about all webhooks. */
  readonly webhook: string | null;
  readonly url: string | null;
  /** Whether `--fix` applied the remedy. */
  readonly fixed?: boolean;
  /** Why `--fix` did not apply a remedy. */
  readonly left_out?: string | null;
}

/** The input for checking a receiver. */
interface Examination {
  readonly client: Client;
  readonly now: () => number;
  /** The events that the service sends. */
  readonly events: readonly string[];
  /** The receiver's response to its last failed attempt; null if it is unknown. */
  readonly said: string | null;
  /** Builds a command for this webhook from a verb and options. */
  readonly command: (verb: string, options?: string) => string;
}

const ok = (check: string, finding: string): Check => ({ check, status: 'ok', finding, fix: null });
const warning = (check: string, finding: string, fix: string | null = null, remedy?: Check['remedy']): Check => ({
  check,
  status: 'warning',
  finding,
  fix,
  remedy,
});
const failed = (check: string, finding: string, fix: string | null = null, remedy?: Check['remedy']): Check => ({
  check,
  status: 'failed',
  finding,
  fix,
  remedy,
});

/** Checks a webhook and its receiver. Sends a test delivery. Nothing is broken while the webhook is off: that is a choice. */
export async function examine(receiver: Receiver, examination: Examination): Promise<Check[]> {
  const checks = await checksOf(receiver, examination);
  return stateOf(receiver) === 'off'
    ? checks.map((each) => ({ ...each, status: each.status === 'failed' ? 'warning' : each.status }))
    : checks;
}

async function checksOf(receiver: Receiver, examination: Examination): Promise<Check[]> {
  const { webhook } = receiver;
  const url = new URL(webhook.url);
  const [name, certificate, delivery] = await Promise.all([
    checkName(url, examination),
    checkCertificate(url, examination),
    checkDelivery(webhook, examination),
  ]);
  return [
    ...checkSwitches(webhook, examination),
    name,
    certificate,
    ...checkHealth(receiver, examination),
    ...checkClients(receiver, examination),
    ...checkMissed(receiver, examination),
    delivery,
    checkSigning(webhook, examination),
    checkEvents(webhook, examination),
  ];
}

/** The finding about a webhook that was switched off, which no remedy undoes: it is a choice. @param fix the command that switches it on */
export function switchedOff(fix: string): Check {
  return warning('switch', 'The webhook is disabled: nothing is delivered.', fix);
}

function checkSwitches(webhook: Webhook, { client, command }: Examination): Check[] {
  const { enabled, retries_enabled: retries } = webhook;
  return [
    enabled ? ok('switch', 'The webhook is enabled.') : switchedOff(command('enable')),
    retries
      ? ok('retries', 'Failed deliveries are retried.')
      : warning('retries', 'Failed deliveries are not retried: a short outage loses events.', command('update', '--retries-enabled'), () =>
          client.call(contract.updateWebhook, { params: { webhookId: addressOf(webhook) }, body: { retries_enabled: true } }),
        ),
  ];
}

function correctAddress({ command }: Examination): string {
  return `Correct the address with \`${command('update', '--url URL')}\`.`;
}

async function checkName({ hostname }: URL, examination: Examination): Promise<Check> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return ok('name', `${host} is an IP address: there is no name to resolve.`);
  try {
    const found = await lookup(host, { all: true });
    return ok('name', `${host} resolves to ${found.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    return failed('name', `Cannot look up ${host}: ${describe(error)}.`, correctAddress(examination));
  }
}

async function checkCertificate(url: URL, examination: Examination): Promise<Check> {
  if (url.protocol === 'http:')
    return warning('certificate', 'The address uses plain http. Only a sandbox delivers to it.', 'Give the receiver an https address.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return await new Promise<Check>((resolve) => {
    const socket = connectTls(
      { host, port: Number(url.port || 443), ...(isIP(host) ? {} : { servername: host }), timeout: connectTimeout },
      () => {
        const { valid_to: validTo } = socket.getPeerCertificate();
        const days = Math.floor((Date.parse(validTo) - examination.now()) / dayLength);
        const finding = `The certificate is valid until ${utcDate(Date.parse(validTo))} (${days} days).`;
        resolve(days < renewalDays ? warning('certificate', finding, 'Renew the certificate.') : ok('certificate', finding));
        socket.destroy();
      },
    );
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(
        failed(
          'certificate',
          `No TLS connection from this machine: ${describe(error)}.`,
          'The receiver needs a trusted certificate for its host name.',
        ),
      ),
    );
    socket.on('timeout', () => {
      resolve(failed('certificate', 'No TLS connection from this machine: the connection timed out.', correctAddress(examination)));
      socket.destroy();
    });
  });
}

/** The library's message mentions its source files, so only the code of an unknown error is shown. */
function describe(error: unknown): string {
  const code = networkErrorCode(error);
  return describeNetworkError(code) ?? (code || 'unknown error');
}

function checkHealth(receiver: Receiver, { client, command, said }: Examination): Check[] {
  const { webhook, health } = receiver;
  if (!health) return [ok('health', 'Nothing has been delivered yet.')];
  const { total_successes: successes, total_failures: failures, consecutive_failures: consecutive, last_failure: last } = health;
  const words = saidText(said);
  const { success_rate: rate } = healthRow(receiver);
  const share =
    rate === null ? 'No delivery has finished yet.' : `${rate} % of ${counted(successes + failures, 'delivery', 'deliveries')} succeeded.`;
  if (health.is_disabled)
    return [
      failed(
        'auto-disable',
        `Deliveries are paused: ${health.disabled_reason}. They were paused at ${health.disabled_at}.${words} Once the receiver works, enable them again.`,
        command('reenable'),
        () => client.call(contract.reenableWebhook, { params: { webhookId: addressOf(webhook) } }),
      ),
      warning('health', share),
    ];
  if (last?.next_attempt_at)
    return [
      warning(
        'health',
        `Attempt ${last.attempt} failed: ${last.error_message} (${last.failure_type}), at ${last.at}.${words} The next one is at ${last.next_attempt_at}.`,
      ),
    ];
  const lastText = last ? ` The last failure was at ${last.at}: ${last.error_message} (${last.failure_type}).` : '';
  if (consecutive === 0) return [ok('health', share + lastText)];
  return [warning('health', `${share} The last ${consecutive === 1 ? 'one' : consecutive} failed.${lastText}${words}`)];
}

/** Deliveries that sub-accounts inherit are paused for each of them. */
function checkClients(receiver: Receiver, { client, command }: Examination): Check[] {
  const { webhook, health, pausedCount } = receiver;
  if (pausedCount === 0) return [];
  const names = pausedNames(receiver).join(', ');
  const finding = `Deliveries of ${counted(pausedCount, 'sub-account')} are paused${names && `: ${names}`}. Once the receiver works, enable them again.`;
  // The remedy for the account's own deliveries enables these too.
  if (health?.is_disabled) return [warning('sub-accounts', finding)];
  const enable = () => client.call(contract.reenableWebhook, { params: { webhookId: addressOf(webhook) } });
  return [failed('sub-accounts', finding, command('reenable'), enable)];
}

/** Events that a receiver missed while it was off or disabled are sent by a replay, once it is on again. */
export function checkMissed(receiver: Receiver, { client, command }: Pick<Examination, 'client' | 'command'>): Check[] {
  const { webhook, missed, missedSince } = receiver;
  if (missed === 0 || missedSince === null) return [];
  const replay = () =>
    client.call(contract.startReplay, { params: { webhookId: addressOf(webhook) }, body: { from: missedSince, which: 'missed' } });
  return [
    warning(
      'missed',
      `${missedText(receiver)}.`,
      command('replay', `--since ${missedSince} --missed`),
      webhook.enabled ? replay : undefined,
    ),
  ];
}

function saidText(said: string | null): string {
  const line = terminalText(said).replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  return ` The receiver said: "${line.length > longestAnswer ? `${line.slice(0, longestAnswer)}...` : line}".`;
}

/** Rounded down, so that 100 % means that all deliveries succeeded. */
/** What to do about a failed test delivery, by failure type. */
const advice: Partial<Record<string, string>> = {
  permanent: 'The receiver must answer 2xx at this address, without a redirect.',
  temporary: 'The receiver failed. Look in its log for the reason.',
  timeout: 'The receiver must answer within 10 seconds: let it answer first, then process the delivery.',
  network: 'Start the receiver, or correct the address of the webhook.',
};

async function checkDelivery(webhook: Webhook, { client, command, now }: Examination): Promise<Check> {
  const started = now();
  const answer = await client
    .call(contract.testWebhook, { params: { webhookId: addressOf(webhook) }, body: {} })
    .catch((error: unknown) => {
      if (error instanceof InterfaceError && error.status === 403) return error;
      throw error;
    });
  if (answer instanceof InterfaceError)
    return warning('delivery', `No test delivery was sent: ${answer.message}.`, 'Use a key with write access.');
  const milliseconds = Math.round(now() - started);
  if (!answer.delivered) {
    const { error_message: message, failure_type: type = 'unknown' } = answer;
    const then = `${advice[type] ?? 'Correct the receiver.'} Then test it again.`;
    return failed('delivery', `The test delivery failed: ${message} (${type}). ${then}`, command('test'));
  }
  if (milliseconds > slowAnswer)
    return warning(
      'delivery',
      `The receiver accepted the test delivery after ${milliseconds} ms; the limit is 10 seconds.`,
      'The receiver should answer first, then process the delivery.',
    );
  return ok('delivery', `The receiver accepted the test delivery within ${milliseconds} ms.`);
}

function checkSigning(webhook: Webhook, { client, command }: Examination): Check {
  if (webhook.signing_enabled) return ok('signing', 'Deliveries are signed.');
  return warning('signing', 'Deliveries are not signed: anyone could forge one.', command('secret rotate', '--yes'), () =>
    client.call(contract.rotateSigningSecret, { params: { webhookId: addressOf(webhook) } }),
  );
}

function checkEvents(webhook: Webhook, { client, command, events }: Examination): Check {
  const { subscribed_to: names } = webhook;
  const idle = names.filter((name) => !events.includes(name) || name === neverEmitted);
  if (idle.length === 0) return ok('events', `The webhook subscribes to ${counted(names.length, 'event')}.`);
  const others = names.filter((name) => !idle.includes(name));
  const finding = `The service never emits ${idle.join(', ')}.`;
  if (others.length === 0) return warning('events', finding, 'Subscribe to other events. `msgctl webhooks events` lists them.');
  return warning('events', finding, command('update', `--events ${shellWord(others.join(','))}`), () =>
    client.call(contract.updateWebhook, { params: { webhookId: addressOf(webhook) }, body: { subscribed_to: others as never } }),
  );
}
