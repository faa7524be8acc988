import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client } from '../../../client/client.ts';
import { getWebhookHealth, listEventNames, testWebhook } from '../../../contract/areas/webhooks/endpoints.ts';
import { describeNetworkError, networkErrorCode } from '../../../contract/network-errors.ts';
import type { Session } from '../../command/noun.ts';
import { exitCodes } from '../../errors.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { type Health, healthRow, type Webhook } from './health.ts';

/** The time limit of a TLS connection, in milliseconds. */
const connectTimeout = 10_000;

/** A certificate that expires within this many days gets a warning. */
const renewalDays = 14;

/** A receiver that takes longer than this gets a warning, in milliseconds. */
const slowAnswer = 3_000;

/** The result of one check. */
interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly finding: string;
  /** The command that fixes it; null when there is none. */
  readonly fix: string | null;
}

const ok = (check: string, finding: string): Check => ({ check, status: 'ok', finding, fix: null });
const warning = (check: string, finding: string, fix: string | null = null): Check => ({ check, status: 'warning', finding, fix });
const failed = (check: string, finding: string, fix: string | null = null): Check => ({ check, status: 'failed', finding, fix });

/** Checks a webhook and its receiver. Exits 1 when a check fails. */
export async function diagnose(session: Session, webhook: Webhook): Promise<Result> {
  const { targets, world } = session;
  const client = await targets.client();
  const url = new URL(webhook.url);
  const id = webhookWords(session, webhook);
  const checks = [
    ...checkSwitches(webhook, id),
    await checkName(url, id),
    await checkCertificate(url, world.now(), id),
    ...(await checkHealth(client, webhook, id)),
    await checkDelivery(client, webhook, id, world.now),
    checkSigning(webhook, id),
    await checkEvents(client, webhook, id),
  ];
  const isBroken = checks.some(({ status }) => status === 'failed');
  return { ...wholeList('checks', checks), ...(isBroken && { exitCode: exitCodes.failed }) };
}

/** The words of a command that name this webhook and its account. When the name looks like an id or a flag, the id is used instead. */
function webhookWords({ globals, targets }: Session, { id, name }: Webhook): string {
  const word = /^(\d+$|-)/.test(name) ? id : name;
  const { subAccountId } = targets.resolve();
  const options = { profile: globals.profile, 'base-url': globals.baseUrl, 'sub-account': subAccountId };
  const given = Object.entries(options).flatMap(([flag, value]) => (value === undefined ? [] : `--${flag} ${shellWord(value)}`));
  return [shellWord(word), ...given].join(' ');
}

/** Quotes a text for the shell when it needs quotes. */
function shellWord(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function checkSwitches({ enabled, retries_enabled: retries }: Webhook, id: string): Check[] {
  return [
    enabled
      ? ok('switch', 'The webhook is enabled.')
      : failed('switch', 'The webhook is disabled: nothing is delivered.', `msgctl webhooks enable ${id}`),
    retries
      ? ok('retries', 'Failed deliveries are retried.')
      : warning(
          'retries',
          'Failed deliveries are not retried: a short outage loses events.',
          `msgctl webhooks update ${id} --retries-enabled`,
        ),
  ];
}

async function checkName({ hostname }: URL, id: string): Promise<Check> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return ok('name', `${host} is an address: there is no name to resolve.`);
  try {
    const found = await lookup(host, { all: true });
    return ok('name', `${host} resolves to ${found.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    const reason = describeNetworkError(networkErrorCode(error)) ?? (error as Error).message;
    return failed('name', `Cannot look up ${host}: ${reason}.`, `msgctl webhooks update ${id} --url https://…`);
  }
}

async function checkCertificate(url: URL, now: number, id: string): Promise<Check> {
  const fix = `msgctl webhooks update ${id} --url https://…`;
  if (url.protocol === 'http:') return warning('certificate', 'The address is plain http, which only a sandbox delivers to.', fix);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return await new Promise<Check>((resolve) => {
    const socket = connectTls(
      { host, port: Number(url.port || 443), ...(isIP(host) ? {} : { servername: host }), timeout: connectTimeout },
      () => {
        const { valid_to: validTo } = socket.getPeerCertificate();
        const days = Math.floor((Date.parse(validTo) - now) / 86_400_000);
        const finding = `The certificate is valid until ${new Date(validTo).toISOString().slice(0, 10)} (${days} days).`;
        resolve(days < renewalDays ? warning('certificate', `${finding} Renew it.`) : ok('certificate', finding));
        socket.destroy();
      },
    );
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(failed('certificate', `No TLS connection from this machine: ${describeTlsError(error)}.`, fix)),
    );
    socket.on('timeout', () => {
      resolve(failed('certificate', 'No TLS connection from this machine: the connection timed out.', fix));
      socket.destroy();
    });
  });
}

/** The message of a library names its source files, so an unknown error shows only its code. */
function describeTlsError(error: unknown): string {
  const code = networkErrorCode(error);
  return describeNetworkError(code) ?? (code || 'unknown error');
}

async function checkHealth(client: Client, webhook: Webhook, id: string): Promise<Check[]> {
  const { health } = await client.call(getWebhookHealth, { params: { webhookId: webhook.id } });
  if (!health) return [ok('health', 'Nothing has been delivered yet.')];
  const { success_rate: rate, last_failure: last } = healthRow(webhook, health);
  const next = health.last_failure?.next_attempt_at;
  if (next) {
    const attempt = `Attempt ${health.last_failure?.attempt} failed: ${last}. The next one is at ${next}.`;
    return [...pausedCheck(health, id), warning('health', attempt, `msgctl webhooks test ${id}`)];
  }
  const finding = `${rate ?? 0} % of ${counted(health.total_successes + health.total_failures, 'delivery', 'deliveries')} succeeded${last ? `; the last failure was ${last}` : ''}.`;
  const record =
    health.consecutive_failures > 0
      ? warning('health', `${finding} The last ${health.consecutive_failures} failed.`, `msgctl webhooks test ${id}`)
      : ok('health', finding);
  return [...pausedCheck(health, id), record];
}

function pausedCheck({ is_disabled: isDisabled, disabled_reason: reason }: NonNullable<Health>, id: string): Check[] {
  return isDisabled ? [failed('auto-disable', `Deliveries are paused: ${reason}.`, `msgctl webhooks reenable ${id}`)] : [];
}

async function checkDelivery(client: Client, webhook: Webhook, id: string, now: () => number): Promise<Check> {
  const started = now();
  const answer = await client.call(testWebhook, { params: { webhookId: webhook.id }, body: {} });
  const milliseconds = Math.round(now() - started);
  if (!answer.delivered) {
    const finding = `The test delivery failed: ${answer.error_message} (${answer.failure_type}).`;
    // Without an answer, the address may be wrong. After an error answer, the receiver must be fixed and tested again.
    const hasNoAnswer = answer.failure_type === 'network' || answer.status_code === null;
    return failed('delivery', finding, hasNoAnswer ? `msgctl webhooks update ${id} --url https://…` : `msgctl webhooks test ${id}`);
  }
  if (milliseconds > slowAnswer)
    return warning('delivery', `The receiver accepted the test delivery after ${milliseconds} ms; the limit is 10 seconds.`);
  return ok('delivery', `The receiver accepted the test delivery within ${milliseconds} ms.`);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function checkSigning({ signing_enabled: signed }: Webhook, id: string): Check {
  if (signed) return ok('signing', 'Deliveries are signed.');
  return warning('signing', 'Deliveries are not signed: anyone could forge one.', `msgctl webhooks secret rotate ${id}`);
}

async function checkEvents(client: Client, { subscribed_to: names }: Webhook, id: string): Promise<Check> {
  const { events } = await client.call(listEventNames, {});
  const neverEmitted = names.filter((name) => !events.includes(name) || name === 'Channel Connected');
  if (neverEmitted.length === 0) return ok('events', `The webhook subscribes to ${counted(names.length, 'event', 'events')}.`);
  const others = names.filter((name) => !neverEmitted.includes(name));
  const fix = `msgctl webhooks update ${id} --events ${others.length > 0 ? shellWord(others.join(',')) : '…'}`;
  return warning('events', `The service never emits ${neverEmitted.join(', ')}.`, fix);
}
