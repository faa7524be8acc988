import { definedFields } from '../../contract/defined-fields.ts';
import { apiRoot, sandboxRoot } from '../../contract/endpoint.ts';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { iso, parseInstant } from '../../contract/time/instants.ts';
import { version } from '../../version.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import type { Retention } from '../../service/maintenance/retention.ts';
import type { RunningServer } from '../../service/serve.ts';
import { InvalidValue, orUsageError } from '../invalid-value.ts';
import { parseCount, parseInteger, parseKeptFor, parseList, parsePort } from '../verb/values.ts';
import { parseWhen } from '../verb/when.ts';
import { usageError } from '../errors.ts';
import { readSecret } from '../connection/checks.ts';
import type { Result } from '../output/result.ts';
import { nextStep } from './serve/next-step.ts';
import { type ServePlace, readPlace } from './serve/place.ts';
import { prepareProfile, storeProfile } from './serve/profile.ts';
import { environmentOf, runProgram } from './serve/program.ts';
import { findSecrets } from './serve/secrets.ts';
import { readModelSettings } from '../connection/model-settings.ts';

/** Parses `--clock` to epoch milliseconds. @throws CliError 2 if it is invalid */
async function readClock({ clock }: Options, { world }: Session): Promise<number | undefined> {
  if (clock === undefined) return undefined;
  const { now, env } = world;
  return await orUsageError('--clock', clock, () => parseInstant(parseWhen(clock as string, now(), env.TZ || undefined, 'ahead')));
}

/** Parses `9464`, `0.0.0.0:9464` or `[::1]:9464`. @throws InvalidValue */
function parseMetricsAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = text] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+)):(\d+)$/i.exec(text) ?? [];
  const parsed = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (parsed < 1 || parsed > 65_535) throw new InvalidValue('must be a port from 1 to 65535, or host:port such as 0.0.0.0:9464');
  return { host: bracketed ?? plain ?? '127.0.0.1', port: parsed };
}

/** The address in the links of public pages and media. @throws CliError 2 unless it is an http or https address without a path */
function readPublicUrl({ publicUrl }: Options): string | undefined {
  if (publicUrl === undefined) return undefined;
  const text = publicUrl as string;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username) return url.origin;
  throw usageError(`--public-url ${text}: must be an http or https address without a path, such as https://chat.example`);
}

/** The proxies that tell the address of a client. @throws CliError 2 unless all are addresses or networks */
async function readProxies({ trustedProxies }: Options): Promise<readonly string[] | undefined> {
  if (trustedProxies === undefined) return undefined;
  const proxies = trustedProxies as readonly string[];
  const { readNetwork } = await import('../../service/network/trusted-proxies.ts');
  const wrong = proxies.find((text) => !readNetwork(text));
  if (wrong !== undefined) throw usageError(`--trusted-proxies ${wrong}: must be addresses and networks, such as 10.0.0.0/8,192.0.2.7`);
  return proxies;
}

function readIdentityProvider({ idIssuer, idAudience, idJwks }: Options) {
  const given = [idIssuer, idAudience, idJwks].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (given.length < 3) throw usageError('--id-issuer, --id-audience and --id-jwks must be given together');
  return { issuer: idIssuer as string, audience: idAudience as string, jwks: idJwks as string };
}

/** An option for the retention period of a type of records. */
function keptFor(what: string, records: string, standard: string) {
  const summary = `how long to keep ${records}, such as 90d, or \`forever\` (default: ${standard})`;
  return { flags: `--keep-${what} <duration>`, summary, parse: parseKeptFor };
}

/** The retention periods given by options. All others have their defaults. */
function readRetention({ keepRequests, keepEvents, keepJobs, keepMessages, keepSessions, keepLedger }: Options) {
  const given = {
    requests: keepRequests,
    events: keepEvents,
    jobs: keepJobs,
    messages: keepMessages,
    sessions: keepSessions,
    ledger: keepLedger,
  };
  const lengths = Object.entries(definedFields(given)).map(([what, length]) => [what, length === 'forever' ? null : length]);
  return Object.fromEntries(lengths) as Partial<Retention>;
}

/**
 * Anybody can compute what is made from a seed, ids carry the time, and a second run would make those of the first again.
 * @throws CliError 2 if there is a seed without a clock, on an address that others can reach, or for a store that is not new
 */
function checkSeed({ seed, clock, host }: Options, { directory, isEmbedded }: ServePlace): void {
  if (seed === undefined) return;
  if (clock === undefined)
    throw usageError('--seed needs --clock, because ids carry the time', 'Add --clock, such as --clock 2027-03-01T09:00:00Z.');
  if (!isLoopbackHost(host as string))
    throw usageError(`--seed works only on a loopback address, not on ${host as string}`, 'Its keys and tokens are no secrets.');
  if (!isEmbedded || directory?.exists)
    throw usageError('--seed needs a new embedded store', 'Add --data :memory:, or name an empty folder with --data.');
}

/** The defaults of options. With `--exec`, the service is in memory and on a free port. */
function defaults({ exec, data, database }: Options): Options {
  if (exec === undefined) return { host: '127.0.0.1', port: 4600 };
  return { host: '127.0.0.1', port: 0, ...(data === undefined && database === undefined && { data: ':memory:' }) };
}

/** Prints a log line in the output format. */
function log({ globals, notes }: Session, line: Record<string, unknown>, text: string): void {
  if (globals.output === 'json') notes.event(line);
  else notes.always(text);
}

/**
 * Starts the service. With `--exec`, requests are only logged with `--debug`, so that they do not disturb the command's output.
 */
async function startService(session: Session, { directory, database }: ServePlace, options: Options): Promise<RunningServer> {
  const { world, globals } = session;
  const logsRequests = options.exec === undefined ? !globals.quiet : globals.debug;
  const model = readModelSettings(world.env);
  const { serve: start } = await import('../../service/serve.ts');
  return await start({
    host: options.host as string,
    port: options.port as number,
    exposeSandbox: options.exposeSandbox === true,
    prepareStore: () => directory?.make(),
    database,
    version,
    sandboxToken: readSecret(world.env, 'MSGCTL_SANDBOX_TOKEN'),
    keepToken: directory ? (token) => directory.keepToken(token) : undefined,
    clock: await readClock(options, session),
    identityProvider: readIdentityProvider(options),
    // A test's receivers are on this machine.
    receivers: { allowPrivate: options.allowPrivateReceivers === true || (options.exec === undefined ? false : 'loopback') },
    publicUrl: readPublicUrl(options),
    trustedProxies: await readProxies(options),
    model,
    retention: readRetention(options),
    drill: world.env.MSGCTL_FAILPOINT
      ? { failpoint: world.env.MSGCTL_FAILPOINT, kill: () => process.kill(process.pid, 'SIGKILL') }
      : undefined,
    demo: options.demo === true,
    seed: options.seed as number | undefined,
    metrics: options.metrics as { host: string; port: number } | undefined,
    onRequest: ({ at: instant, ...entry }) => {
      if (!logsRequests) return;
      const at = iso(instant);
      log(
        session,
        { event: 'request', at, ...entry },
        `${at} ${entry.method} ${entry.path} ${entry.status} ${entry.duration_ms} ms ${entry.key_preview ?? '-'} ${entry.request_id ?? '-'}`,
      );
    },
    onError: (error) => {
      const { name, message, stack } = error as Error;
      // By its name, because the service is loaded only when it starts.
      if (name === 'Warning') log(session, { event: 'warning', warning: message }, `warning: ${message}`);
      else log(session, { event: 'error', error: message, stack }, `error: ${stack}`);
    },
  });
}

/** Runs the service until it is interrupted, or until the program of `--exec` has ended. */
async function runServer(session: Session, options: Options): Promise<Result> {
  const { world, globals, targets, notes } = session;
  const { profile } = globals;
  const asJson = globals.output === 'json';
  const command = options.exec as string | undefined;
  for (const name of ['host', 'data', 'exec'] as const) if (options[name] === '') throw usageError(`--${name} must not be empty`);
  if (command !== undefined && profile !== undefined)
    throw usageError(
      '--exec and --profile cannot be used together',
      '--exec passes the address and the key to the command in its environment.',
    );
  const place = await readPlace(options, world);
  checkSeed(options, place);
  const { directory } = place;
  const expected = `http://${options.host as string}:${options.port as number}${apiRoot}`;
  const stored = profile === undefined ? undefined : await prepareProfile(profile, expected, session);
  const server = await startService(session, place, options);
  try {
    const baseUrl = server.origin + apiRoot;
    const { token, key } = await findSecrets(server, place, stored, profile !== undefined || command !== undefined, session);
    if (directory) {
      if (token !== null && token !== directory.readToken()) directory.writeToken(token);
      const { origin, accountId, identityKey: key } = server;
      directory.writeServer({ pid: process.pid, startedAt: world.now(), origin, accountId, key });
    }
    if (command !== undefined) {
      const env = environmentOf(world.env, { MSGCTL_BASE_URL: baseUrl, MSGCTL_API_KEY: key, MSGCTL_SANDBOX_TOKEN: token });
      return { kind: 'nothing', exitCode: await runProgram(command, env, world) };
    }
    const secrets = { api_key: key, sandbox_token: token };
    const isStored = profile !== undefined && (await storeProfile(profile, { base_url: baseUrl, ...secrets }, stored, session));
    const ready = {
      event: 'ready',
      base_url: baseUrl,
      sandbox_url: server.origin + sandboxRoot,
      sandbox_token: token,
      account_id: server.accountId,
      api_key: server.newStore?.apiKey ?? null,
      ...(server.metricsOrigin !== null && { metrics_url: `${server.metricsOrigin}/metrics` }),
    };
    const shownKey = ready.api_key === null ? '' : `, key ${ready.api_key} (shown only this once)`;
    world.stdout.write(`${asJson ? JSON.stringify(ready) : `Serving ${baseUrl}, account ${ready.account_id}${shownKey}`}\n`);
    if (options.demo && !server.newStore)
      notes.say('The store is not empty, so --demo changed nothing. `msgctl sandbox demo` adds a history.');
    const isDefaultStore = place.isEmbedded && directory?.path === targets.dataDirectory.path;
    if (isStored) notes.say(`Now using the profile '${profile}'.`);
    const reach = { profile: isStored ? profile : undefined, isDefaultStore, isKeyKnown: key !== null, baseUrl };
    if (!asJson && server.metricsOrigin !== null) notes.say(`The metrics are at ${server.metricsOrigin}/metrics.`);
    if (!asJson) notes.say(['In another terminal:', nextStep(reach)]);
    await world.interrupted;
    if (!globals.quiet) log(session, { event: 'stopping' }, 'Stopping');
  } finally {
    directory?.removeServer(process.pid);
    await server.close();
  }
  return { kind: 'nothing' };
}

export const serve: Noun = {
  name: 'serve',
  verbs: [
    {
      name: '',
      summary: 'Run the service on an embedded or a PostgreSQL database',
      examples: [
        ['msgctl serve', 'on 127.0.0.1:4600, with the embedded database'],
        ['msgctl serve --profile dev', 'and switch to a profile for it, so that other terminals need no options'],
        ["msgctl serve --exec 'npm test'", 'for tests: the address and the key are in the environment'],
        ['msgctl serve --data :memory: --port 0 -o json', 'for scripts: in memory, on any free port, with JSON output'],
        ['msgctl serve --keep-events 7d --keep-messages 365d', 'delete older records in the background'],
        ['msgctl serve --clock 2027-01-31T09:00:00Z --demo', 'with a frozen clock and a demonstration account'],
        ['msgctl serve --data :memory: --clock 2027-03-01T09:00:00Z --seed 1', 'with the same ids and keys in each run'],
      ],
      promptTarget: ({ session: { targets } }) => targets.profiles.file,
      options: [
        { flags: '--host <address>', summary: 'the address to listen on (default: 127.0.0.1)' },
        { flags: '--port <port>', summary: 'the port to listen on (default: 4600); 0 for any free port', parse: parsePort },
        {
          flags: '--exec <command>',
          summary: 'start the service, run this command against it and stop; by default in memory and on any free port',
        },
        { flags: '--data <dir>', summary: 'the directory of the embedded database, or `:memory:` to keep nothing', completes: 'file' },
        {
          flags: '--database <url>',
          summary: 'use a PostgreSQL database: a postgres:// address, which can list several servers as h1:5432,h2:5432',
        },
        { flags: '--demo', summary: 'fill an empty store with 92 days of history, things to repair, and two client accounts' },
        { flags: '--clock <when>', summary: 'start with the clock frozen at this time' },
        {
          flags: '--seed <number>',
          summary: 'for tests: the same ids, keys, tokens and secrets in each run with the same calls; needs --clock and a new store',
          parse: parseInteger,
        },
        { flags: '--expose-sandbox', summary: 'also serve the sandbox endpoints on an address that is not loopback' },
        { flags: '--id-issuer <issuer>', summary: 'accept ID tokens of this issuer, in addition to those of the sandbox' },
        { flags: '--id-audience <audience>', summary: 'the audience that the ID tokens must have' },
        { flags: '--id-jwks <url>', summary: 'the JWKS address of the issuer' },
        {
          flags: '--allow-private-receivers',
          summary: 'allow plain http and private addresses for webhook receivers, pages, functions and tool servers',
        },
        { flags: '--public-url <url>', summary: 'the address in the links of public pages and media (default: that of the server)' },
        {
          flags: '--trusted-proxies <list>',
          summary: 'addresses and networks whose X-Forwarded-For tells the address of a client',
          parse: parseList,
        },
        {
          flags: '--metrics <address>',
          summary: 'also serve /metrics for Prometheus and /ready, on this port of 127.0.0.1 or on host:port',
          parse: parseMetricsAddress,
        },
        { flags: '--keep-requests <count>', summary: 'how many requests the request log keeps (default: 10000)', parse: parseCount },
        keptFor('events', 'events, with their deliveries and attempts', '30d'),
        keptFor('jobs', 'jobs that were given up', '30d'),
        keptFor('messages', 'messages', 'forever'),
        keptFor('sessions', 'concluded conversations', 'forever'),
        keptFor('ledger', 'the records of the credit ledger', 'forever'),
      ],
      run: (session, _values, options) => runServer(session, { ...defaults(options), ...options }),
    },
  ],
};
