import { join } from 'node:path';
import { apiRoot, sandboxRoot } from '../../contract/endpoint.ts';
import { parseInstant } from '../../contract/instants.ts';
import { version } from '../../version.ts';
import type { Noun, Options, Session } from '../command/noun.ts';
import type { Retention } from '../../service/maintenance/retention.ts';
import { definedFields, InvalidValue, parseCount, parseKeptFor, parsePort } from '../command/values.ts';
import { usageError } from '../errors.ts';
import { readSecret } from '../target/checks.ts';
import type { Result } from '../output/result.ts';
import { DataDirectory } from '../target/data-directory.ts';
import { dataDirectory } from '../target/directories.ts';
import { readModelSettings } from '../target/model-settings.ts';
import type { World } from '../world.ts';

function parseClock(text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw new InvalidValue('must be an ISO 8601 date or date and time');
  return instant;
}

function readIdentityProvider({ idIssuer, idAudience, idJwks }: Options) {
  const given = [idIssuer, idAudience, idJwks].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (given.length < 3) throw usageError('--id-issuer, --id-audience and --id-jwks must be given together');
  return { issuer: idIssuer as string, audience: idAudience as string, jwks: idJwks as string };
}

/** An option for how long records are kept. */
function keptFor(what: string, records: string, standard: string) {
  const summary = `how long to keep ${records}, such as 90d, or \`forever\` (default: ${standard})`;
  return { flags: `--keep-${what} <duration>`, summary, parse: parseKeptFor };
}

/** What is kept for how long. What is not given is kept as by default. */
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

/** Runs the service until it is interrupted. */
async function serveUntilInterrupted({ world, globals, targets, notes }: Session, options: Options): Promise<Result> {
  const asJson = globals.output === 'json';
  const database = options.database as string | undefined;
  const servers = database === undefined ? undefined : await readDatabase(database);
  for (const name of ['host', 'data'] as const) if (options[name] === '') throw usageError(`--${name} must not be empty`);
  const inMemory = options.data === ':memory:';
  const directory = new DataDirectory((options.data as string | undefined) ?? defaultDirectory(world, servers));
  const say = (line: Record<string, unknown>, text: string) => notes.insist(asJson ? JSON.stringify(line) : text);

  const givenToken = readSecret(world.env, 'MSGCTL_SANDBOX_TOKEN');
  const model = readModelSettings(world.env);
  const { serve: start } = await import('../../service/serve.ts');
  const server = await start({
    host: options.host as string,
    port: options.port as number,
    exposeSandbox: options.exposeSandbox === true,
    prepareStore: () => {
      if (!inMemory) directory.make();
    },
    database: database ?? (inMemory ? ':memory:' : directory.database),
    version,
    sandboxToken: givenToken,
    keepToken: inMemory ? undefined : (token) => directory.keepToken(token),
    clock: options.clock as number | undefined,
    identityProvider: readIdentityProvider(options),
    receivers: { allowPrivate: options.allowPrivateReceivers === true },
    model,
    retention: readRetention(options),
    drill: world.env.MSGCTL_FAILPOINT
      ? { failpoint: world.env.MSGCTL_FAILPOINT, kill: () => process.kill(process.pid, 'SIGKILL') }
      : undefined,
    demo: options.demo === true,
    onRequest: ({ at: instant, ...entry }) => {
      if (globals.quiet) return;
      const at = new Date(instant).toISOString();
      say(
        { event: 'request', at, ...entry },
        `${at} ${entry.method} ${entry.path} ${entry.status} ${entry.duration_ms} ms ${entry.key_preview ?? '-'}`,
      );
    },
    onError: (error) =>
      say({ event: 'error', error: (error as Error).message, stack: (error as Error).stack }, `error: ${(error as Error).stack}`),
  });

  try {
    const known = server.made?.sandboxToken ?? (await acceptedToken(givenToken ?? directory.readToken(), server.acceptsToken));
    // The token of an embedded store is nowhere else, so a lost one is replaced. Another server may know that of a shared store.
    const token = known ?? (database === undefined ? await server.makeToken() : null);
    const ready = {
      event: 'ready',
      base_url: server.origin + apiRoot,
      sandbox_url: server.origin + sandboxRoot,
      sandbox_token: token,
      account_id: server.accountId,
      api_key: server.made?.apiKey ?? null,
    };
    const key = ready.api_key === null ? '' : `, key ${ready.api_key} (shown only this once)`;
    if (!inMemory) {
      if (token !== null && token !== directory.readToken()) directory.writeToken(token);
      directory.writeServer({ pid: process.pid, origin: server.origin, accountId: server.accountId, key: server.identityKey });
      // The profile `sandbox` opens the same store, so it needs the new key.
      if (server.made && database === undefined) {
        const remembering = targets.profiles.updateSandbox(directory.path, { api_key: server.made.apiKey, sub_account_id: undefined });
        await remembering.catch((error: Error) => notes.insist(`The profile 'sandbox' could not store the key: ${error.message}`));
      }
    }
    world.stdout.write(`${asJson ? JSON.stringify(ready) : `Serving ${ready.base_url}, account ${ready.account_id}${key}`}\n`);
    await world.interrupted;
    if (!globals.quiet) say({ event: 'stopping' }, 'Stopping');
  } finally {
    if (!inMemory) directory.removeServer(process.pid);
    await server.close();
  }
  return { kind: 'nothing' };
}

/** The servers and the database of an address, without the user and the password. */
async function readDatabase(address: string): Promise<string> {
  const { parsePostgresAddress } = await import('../../service/store/postgres-address.ts');
  try {
    return parsePostgresAddress(address).shown;
  } catch (error) {
    throw usageError(`--database ${(error as Error).message}`, 'Use --data to choose the directory of the embedded database.');
  }
}

/** The directory of a server's token and note. Each PostgreSQL store has its own, separate from the embedded store. */
function defaultDirectory(world: World, servers: string | undefined): string {
  return servers === undefined ? dataDirectory(world) : join(dataDirectory(world), 'databases', encodeURIComponent(servers));
}

/** The stored token, if the store accepts it; otherwise null. */
async function acceptedToken(token: string | null, accepts: (token: string) => Promise<boolean>): Promise<string | null> {
  return token !== null && (await accepts(token)) ? token : null;
}

export const serve: Noun = {
  name: 'serve',
  verbs: [
    {
      name: '',
      summary: 'Run the service on an embedded or a PostgreSQL database',
      examples: [
        ['msgctl serve', 'on 127.0.0.1:4600, with the embedded database'],
        ['msgctl serve --data :memory: --port 0 -o json', 'for tests: in memory, on any free port, with JSON output'],
        ['msgctl serve --keep-events 7d --keep-messages 365d', 'delete what is older, in the background'],
        ['msgctl serve --clock 2027-01-31T09:00:00Z --demo', 'with a frozen clock and a demonstration account'],
      ],
      options: [
        { flags: '--host <address>', summary: 'the address to listen on (default: 127.0.0.1)' },
        { flags: '--port <port>', summary: 'the port to listen on (default: 4600); 0 for any free port', parse: parsePort },
        { flags: '--data <dir>', summary: 'the directory of the embedded database, or `:memory:`', completes: 'file' },
        {
          flags: '--database <url>',
          summary: 'use the PostgreSQL database at this postgres:// address, which may name several servers: h1:5432,h2:5432',
        },
        { flags: '--demo', summary: 'fill an empty store with a demonstration account' },
        { flags: '--clock <instant>', summary: 'start with the clock frozen at this instant', parse: parseClock },
        { flags: '--expose-sandbox', summary: 'serve the sandbox endpoints also on an address that is not loopback' },
        { flags: '--id-issuer <issuer>', summary: 'accept ID tokens of this issuer, besides those of the sandbox' },
        { flags: '--id-audience <audience>', summary: 'the audience that these ID tokens must name' },
        { flags: '--id-jwks <url>', summary: 'the JWKS address of the issuer' },
        { flags: '--allow-private-receivers', summary: 'allow plain http and private addresses for webhook receivers' },
        { flags: '--keep-requests <count>', summary: 'how many requests the request log keeps (default: 10000)', parse: parseCount },
        keptFor('events', 'events, with their deliveries and attempts', '30d'),
        keptFor('jobs', 'jobs that were given up', '30d'),
        keptFor('messages', 'messages', 'forever'),
        keptFor('sessions', 'concluded chat sessions', 'forever'),
        keptFor('ledger', 'the records of the credit ledger', 'forever'),
      ],
      run: (session, _values, options) => serveUntilInterrupted(session, { host: '127.0.0.1', port: 4600, ...options }),
    },
  ],
};
