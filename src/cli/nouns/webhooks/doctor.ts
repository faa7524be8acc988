import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client } from '../../../client/client.ts';
import { getWebhookHealth, listEventNames, testWebhook } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Session } from '../../command/command.ts';
import { exitCodes } from '../../errors.ts';
import { type Result, type Row, wholeList } from '../../output/result.ts';
import { healthRow } from './health.ts';

/** How long a name or a certificate is waited for, in milliseconds. */
const patience = 10_000;

/** A certificate that ends within so many days should be renewed now. */
const renewWithin = 14;

/** A receiver that takes longer than this is near its limit, in milliseconds. */
const slow = 3_000;

/** One thing that was looked at. */
interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly finding: string;
  /** The command that mends it, where there is one. */
  readonly mend: string | null;
}

const ok = (check: string, finding: string): Check => ({ check, status: 'ok', finding, mend: null });
const warning = (check: string, finding: string, mend: string | null = null): Check => ({ check, status: 'warning', finding, mend });
const failed = (check: string, finding: string, mend: string | null = null): Check => ({ check, status: 'failed', finding, mend });

/** Looks at a subscription and its receiver from all sides. */
export async function examine(session: Session, webhook: Row): Promise<Result> {
  const { targets, world } = session;
  const client = await targets.client();
  const url = new URL(String(webhook.url));
  const id = addressOf(session, webhook);
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
  return { ...wholeList('checks', checks as unknown as Row[]), ...(isBroken && { exitCode: exitCodes.failed }) };
}

/** How a command names this subscription, and where it is to act: by the id where the name would be taken for another's, or for a flag. */
function addressOf({ globals, targets }: Session, { id, name }: Row): string {
  const word = /^(\d+$|-)/.test(name as string) ? (id as string) : (name as string);
  const { subAccountId } = targets.resolve();
  const options = { profile: globals.profile, 'base-url': globals.baseUrl, 'sub-account': subAccountId };
  const given = Object.entries(options).flatMap(([flag, value]) => (value === undefined ? [] : `--${flag} ${shellWord(value)}`));
  return [shellWord(word), ...given].join(' ');
}

/** A name as a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function checkSwitches({ enabled, retries_enabled: retries }: Row, id: string): Check[] {
  return [
    enabled === true
      ? ok('switch', 'It is switched on.')
      : failed('switch', 'It is switched off: nothing is delivered.', `msgctl webhooks enable ${id}`),
    retries === true
      ? ok('retries', 'Failed deliveries are tried again.')
      : warning('retries', 'Each delivery is tried once: a short outage loses events.', `msgctl webhooks update ${id} --retries-enabled`),
  ];
}

async function checkName({ hostname }: URL, id: string): Promise<Check> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return ok('name', `${host} is an address: there is no name to resolve.`);
  try {
    const found = await lookup(host, { all: true });
    return ok('name', `${host} leads to ${found.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    const mend = `msgctl webhooks update ${id} --url https://…`;
    return failed('name', `${host} does not resolve from here (${(error as NodeJS.ErrnoException).code}).`, mend);
  }
}

async function checkCertificate(url: URL, now: number, id: string): Promise<Check> {
  const mend = `msgctl webhooks update ${id} --url https://…`;
  if (url.protocol === 'http:') return warning('certificate', 'It is plain http, which only a sandbox delivers to.', mend);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return await new Promise<Check>((resolve) => {
    const socket = connectTls(
      { host, port: Number(url.port || 443), ...(isIP(host) ? {} : { servername: host }), timeout: patience },
      () => {
        const { valid_to: validTo } = socket.getPeerCertificate();
        const days = Math.floor((Date.parse(validTo) - now) / 86_400_000);
        const finding = `The certificate is valid until ${new Date(validTo).toISOString().slice(0, 10)} (${days} days).`;
        resolve(days < renewWithin ? warning('certificate', `${finding} Renew it.`) : ok('certificate', finding));
        socket.destroy();
      },
    );
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(failed('certificate', `No secure connection from here: ${tlsWords(error)}.`, mend)),
    );
    socket.on('timeout', () => {
      resolve(failed('certificate', 'No secure connection from here in time.', mend));
      socket.destroy();
    });
  });
}

const tlsReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain of the certificate is incomplete',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name does not resolve',
};

/** The libraries' own words name their source files, and options of Node. */
function tlsWords({ code = '' }: NodeJS.ErrnoException): string {
  return tlsReasons[code] ?? (code.startsWith('ERR_SSL_') ? 'it does not speak TLS there' : code || 'for an unknown reason');
}

async function checkHealth(client: Client, webhook: Row, id: string): Promise<Check[]> {
  const { health } = await client.call(getWebhookHealth, { params: { webhookId: String(webhook.id as string) } });
  if (!health) return [ok('health', 'Nothing was delivered yet.')];
  const { success_rate: rate, last_failure: last } = healthRow(webhook as never, health);
  const finding = `${rate ?? 0} % of ${counted(health.total_successes + health.total_failures, 'delivery', 'deliveries')} went well${last ? `; the last failure was ${last}` : ''}.`;
  const record =
    health.consecutive_failures > 0
      ? warning('health', `${finding} The last ${health.consecutive_failures} failed.`, `msgctl webhooks test ${id}`)
      : ok('health', finding);
  if (!health.is_disabled) return [record];
  return [failed('auto-disable', `Deliveries are paused: ${health.disabled_reason}.`, `msgctl webhooks reenable ${id}`), record];
}

async function checkDelivery(client: Client, webhook: Row, id: string, now: () => number): Promise<Check> {
  const started = now();
  const answer = await client.call(testWebhook, { params: { webhookId: String(webhook.id as string) }, body: {} });
  const milliseconds = Math.round(now() - started);
  if (!answer.delivered) {
    const finding = `The test delivery failed: ${answer.error_message} (${answer.failure_type}).`;
    // What does not reach the receiver needs another address; what it refuses or fails at is mended there, and tried again.
    const isUnreached = answer.failure_type === 'network' || answer.status_code === null;
    return failed('delivery', finding, isUnreached ? `msgctl webhooks update ${id} --url https://…` : `msgctl webhooks test ${id}`);
  }
  if (milliseconds > slow)
    return warning('delivery', `The receiver took the test delivery after ${milliseconds} ms: the limit is 10 seconds.`);
  return ok('delivery', `The receiver took the test delivery within ${milliseconds} ms.`);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function checkSigning({ signing_enabled: signed }: Row, id: string): Check {
  if (signed === true) return ok('signing', 'Deliveries are signed.');
  return warning('signing', 'Deliveries are not signed: anybody could send some.', `msgctl webhooks secret rotate ${id}`);
}

async function checkEvents(client: Client, { subscribed_to: subscribed }: Row, id: string): Promise<Check> {
  const { events } = await client.call(listEventNames, {});
  const names = subscribed as string[];
  const useless = names.filter((name) => !events.includes(name) || name === 'Channel Connected');
  if (useless.length === 0) return ok('events', `It subscribes to ${counted(names.length, 'event', 'events')}.`);
  const others = names.filter((name) => !useless.includes(name));
  const mend = `msgctl webhooks update ${id} --events ${others.length > 0 ? shellWord(others.join(',')) : '…'}`;
  return warning('events', `Nothing emits ${useless.join(', ')}.`, mend);
}
