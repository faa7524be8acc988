import { Client, type Trace, type Wait } from '../../client/client.ts';
import type { Transport } from '../../client/transport.ts';
import { version } from '../../version.ts';
import type { OpenService } from '../../service/service.ts';
import { DataDirectory, type ServerNote } from './data-directory.ts';
import { configDirectory, dataDirectory } from './directories.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { GlobalOptions } from '../command/global-options.ts';
import type { Notes } from '../output/notes.ts';
import { withSpinner } from '../output/spinner.ts';
import { type Profile, Profiles, sandboxName } from '../profiles/profiles.ts';
import type { World } from '../world.ts';

/** Where `msgctl serve` listens unless told otherwise, and so where a key without an address is taken to belong. */
export const defaultBaseUrl = 'http://127.0.0.1:4600/v1';

/** Whom the commands talk to, and as whom. */
export interface Target {
  /** The profile's name; null when everything comes from flags and the environment. */
  readonly profile: string | null;
  /** The service's address; null for the embedded one. */
  readonly baseUrl: string | null;
  readonly key: string | null;
  readonly keySource: 'environment' | 'profile' | null;
  readonly subAccountId: string | undefined;
}

/** How the calls are made. */
export interface CallOptions {
  /** Nothing is sent, and nothing opened. */
  readonly dryRun?: boolean;
  /** Every call is made once, and given up at this signal. */
  readonly signal?: AbortSignal;
}

/** Finds out whom to talk to: a flag goes before the environment, and that before the profile. */
export class Targets {
  readonly profiles: Profiles;
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  #client: Client | null = null;
  #target: Target | null = null;
  #firstAccount: string | null = null;
  #controlsOwnStore = false;
  #saidKey = false;
  #acting: { readonly subAccountId: string | undefined } | null = null;
  readonly #options: CallOptions;

  constructor(world: World, globals: GlobalOptions, notes: Notes, options: CallOptions = {}) {
    this.#world = world;
    this.#globals = globals;
    this.#notes = notes;
    this.#options = options;
    this.profiles = new Profiles(configDirectory(world));
  }

  /** The data directory of the embedded service. */
  get dataDirectory(): DataDirectory {
    return new DataDirectory(dataDirectory(this.#world));
  }

  resolve(): Target {
    return (this.#target ??= this.#resolve());
  }

  #resolve(): Target {
    const { env } = this.#world;
    const { profile: profileFlag, baseUrl: baseUrlFlag } = this.#globals;
    const given = baseUrlFlag ?? (env.MSGCTL_BASE_URL || undefined);
    const environmentKey = readEnvironmentKey(env);
    // Who names both needs no profile, not even one that can be read.
    const isNamed = given !== undefined && environmentKey !== undefined;
    const name = profileFlag ?? (env.MSGCTL_PROFILE || undefined) ?? this.#currentProfile(isNamed);
    const isSandbox = name === sandboxName;
    const stored: Partial<Profile> | undefined =
      name === null ? undefined : isSandbox ? this.profiles.findSandbox(this.dataDirectory.path) : this.profiles.find(name);
    if (name !== null && !stored) throw this.#unknownProfile(name);
    const address = given === undefined ? stored?.base_url : checkAddress(given);
    // A stored key goes to the address that it was stored for, and to no other.
    const belongs = isSandbox ? given === undefined : originOf(stored?.base_url ?? '') === originOf(address ?? '');
    const storedKey = belongs ? stored?.api_key : undefined;
    const key = environmentKey ?? storedKey ?? null;
    if (environmentKey !== undefined && storedKey !== undefined && storedKey !== environmentKey && !this.#saidKey) {
      this.#notes.say(`Using the key from MSGCTL_API_KEY, not the one of the profile '${name}'.`);
      this.#saidKey = true;
    }
    return {
      profile: name,
      baseUrl: address ?? (isSandbox ? null : defaultBaseUrl),
      key,
      keySource: environmentKey === undefined ? (key === null ? null : 'profile') : 'environment',
      subAccountId: this.#acting ? this.#acting.subAccountId : belongs ? stored?.sub_account_id : undefined,
    };
  }

  #currentProfile(canDoWithout: boolean): string | null {
    try {
      return this.profiles.current();
    } catch (error) {
      if (!canDoWithout) throw error;
      return null;
    }
  }

  /** Acts on another sub-account than the profile remembers, from here on; on the key's own account with undefined. */
  actOn(subAccountId: string | undefined): void {
    this.#acting = { subAccountId };
    if (this.#target) this.#target = { ...this.#target, subAccountId };
    this.#client = this.#client?.actingOn(subAccountId) ?? null;
  }

  /**
   * A client for the interface, as whoever the target says.
   * @throws CliError 4 when there is no key
   */
  async client(): Promise<Client> {
    if (this.#client) return this.#client;
    const target = this.resolve();
    if (target.baseUrl !== null) {
      if (target.key === null) throw noKey(target);
      return (this.#client = this.#makeClient(await this.#remoteTo(originOf(target.baseUrl)), target.key, target.subAccountId));
    }
    if (this.#options.dryRun) return (this.#client = this.#makeClient(unopened, target.key ?? '', target.subAccountId));
    const { transport, service } = await this.#embedded();
    // A store that was made just now does not know a key from before.
    const stored = target.keySource === 'environment' ? target.key : (service.made?.apiKey ?? target.key);
    const key = stored ?? (await this.#awaitKey());
    if (key === null) {
      await transport.close();
      throw noKey(target);
    }
    this.#target = { ...target, key, keySource: target.keySource ?? 'profile' };
    return (this.#client = this.#makeClient(transport, key, target.subAccountId));
  }

  /** A client for the control surface: of the named server, of a running one that serves the data directory, or in process. */
  async sandboxClient(): Promise<Client> {
    if (this.#client) return this.#client;
    const directory = this.dataDirectory;
    const given = readToken(this.#world.env) ?? null;
    const address = this.#sandboxAddress();
    if (address !== null) {
      // The token of the data directory is for its own server alone.
      if (given === null) throw noToken(`There is no sandbox token for ${address}`);
      return (this.#client = this.#makeClient(await this.#remoteTo(address), given, undefined));
    }
    if (this.#options.dryRun) return (this.#client = this.#makeClient(unopened, '', undefined));
    this.#controlsOwnStore = true;
    const server = await this.#runningServer(directory);
    if (server !== null) {
      this.#firstAccount = server.accountId;
      const token = given ?? directory.readToken();
      if (token === null) throw noToken(`There is no sandbox token in ${directory.path}`);
      return (this.#client = this.#makeClient(await this.#remoteTo(server.origin), token, undefined));
    }
    const { transport, service } = await this.#embedded();
    // Who can open the store may have a token of it: a lost one is made anew.
    const known = given ?? directory.readToken();
    const token = known ?? (await service.makeToken());
    if (known === null) directory.writeToken(token);
    return (this.#client = this.#makeClient(transport, token, undefined));
  }

  /** Where the control client goes, for a confirmation. */
  describeSandbox(): string {
    return this.#sandboxAddress() ?? this.dataDirectory.readServer()?.origin ?? `the embedded service in ${this.dataDirectory.path}`;
  }

  #sandboxAddress(): string | null {
    const address = this.#globals.baseUrl ?? (this.#world.env.MSGCTL_BASE_URL || undefined);
    return address === undefined ? null : originOf(checkAddress(address));
  }

  /** The server that serves the data directory: another process may have got its process id and its port. */
  async #runningServer(directory: DataDirectory): Promise<ServerNote | null> {
    const note = directory.readServer();
    if (note === null) return null;
    const transport = await this.#remoteTo(note.origin);
    try {
      const { body } = await transport.send({ method: 'GET', path: '/sandbox/.well-known/jwks.json', headers: {} });
      return body.includes(JSON.stringify(note.keyId)) ? note : null;
    } catch {
      return null;
    } finally {
      await transport.close();
    }
  }

  /** The first account of the store that the control client controls; null when it is not known here. */
  get firstAccount(): string | null {
    return this.#firstAccount;
  }

  /** Changes what the profile `sandbox` remembers; false when the control client controls another store than its own. */
  async rememberSandbox(change: { api_key?: string | undefined; sub_account_id?: string | undefined }): Promise<boolean> {
    if (!this.#controlsOwnStore) return false;
    await this.profiles.updateSandbox(this.dataDirectory.path, change);
    return true;
  }

  /** Notes the first account that a reset made. */
  firstAccountIs(accountId: string): void {
    this.#firstAccount = accountId;
    if (!this.#controlsOwnStore) return;
    const note = this.dataDirectory.readServer();
    if (note) this.dataDirectory.writeServer({ ...note, accountId });
  }

  /** Forgets what was resolved: while a question was asked, another command may have changed the profile. */
  forget(): void {
    this.#target = null;
  }

  /** Changes what the target's profile remembers; false when there is no profile. */
  async remember(change: { api_key?: string | undefined; sub_account_id?: string | undefined }): Promise<boolean> {
    const { profile, baseUrl } = this.resolve();
    if (profile === null) return false;
    // What is true of one service is not remembered of another.
    if (baseUrl !== (this.profiles.find(profile)?.base_url ?? null)) return false;
    if (profile === sandboxName) await this.profiles.updateSandbox(this.dataDirectory.path, change);
    else await this.profiles.update(profile, change);
    return true;
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** Opens the embedded service; on the first use it makes the store, and its key goes into the profile. */
  async #embedded(): Promise<{ transport: Transport; service: OpenService }> {
    const directory = this.dataDirectory;
    const [{ openEmbedded }, { inProcessTransport }] = await Promise.all([
      import('../../service/embedded.ts'),
      import('./in-process-transport.ts'),
    ]);
    // A store that is made shows its key once: the profile must be able to take it.
    if (!directory.exists) await this.profiles.probe();
    directory.make();
    const given = readToken(this.#world.env);
    const service = await openEmbedded(directory.database, {
      version,
      sandboxToken: given,
      receivers: { allowPrivate: true },
      onError: (error) => this.#notes.say(`The embedded service: ${(error as Error).message}`),
    });
    const token = given ?? service.made?.sandboxToken;
    if (token !== undefined && token !== directory.readToken()) directory.writeToken(token);
    if (service.made) await this.profiles.updateSandbox(directory.path, { api_key: service.made.apiKey, sub_account_id: undefined });
    this.#firstAccount = service.accountId;
    return { transport: inProcessTransport(service), service };
  }

  /** A process that makes the store at this moment writes its key into the profile a little later. */
  async #awaitKey(): Promise<string | null> {
    for (let tries = 0; tries < 20; tries++) {
      const { api_key: key } = this.profiles.findSandbox(this.dataDirectory.path);
      if (key !== undefined) return key;
      await this.#world.sleep(50);
    }
    return null;
  }

  async #remoteTo(origin: string): Promise<Transport> {
    const { remoteTransport } = await import('../../client/remote-transport.ts');
    return remoteTransport(origin, this.#options.signal);
  }

  /** A client for a service that is no profile yet. */
  async clientAt(baseUrl: string, key: string): Promise<Client> {
    return (this.#client = this.#makeClient(await this.#remoteTo(originOf(baseUrl)), key, undefined));
  }

  #makeClient(transport: Transport, key: string, subAccountId: string | undefined): Client {
    const { sleep, random, now } = this.#world;
    const { dryRun = false, signal } = this.#options;
    return new Client({
      transport: withSpinner(transport, this.#world, this.#globals),
      dryRun,
      ...(signal && { maxAttempts: 1 }),
      key,
      subAccountId,
      userAgent: `msgctl/${version}`,
      sleep,
      random,
      now,
      onRetry: (wait) => this.#sayWait(wait),
      onTrace: this.#globals.debug ? (trace) => this.#notes.insist(describeTrace(trace)) : undefined,
    });
  }

  /** A wait that the rate limit asks for can be long: it is said to scripts too, as a line that they can read. */
  #sayWait({ reason, milliseconds, isRateLimit }: Wait): void {
    const seconds = Number((milliseconds / 1000).toFixed(1));
    const text = `${reason}; trying again in ${seconds.toFixed(1)} s`;
    if (!isRateLimit || this.#globals.quiet) this.#notes.say(text);
    else this.#notes.insist(this.#globals.output === 'json' ? JSON.stringify({ event: 'waiting', message: text, seconds }) : text);
  }

  #unknownProfile(name: string): CliError {
    const names = [...this.profiles.names(), sandboxName];
    return usageError(`There is no profile '${name}'`, `Known profiles: ${names.join(', ')}`);
  }
}

/** Two ways on for who has no key. */
function noKey({ profile, baseUrl }: Target): CliError {
  if (baseUrl === null)
    return new CliError(exitCodes.notAllowed, 'not_authenticated', 'The key of this embedded store is not known here', {
      hint: 'Make a new main key with `msgctl sandbox main-key`, or set MSGCTL_API_KEY.',
    });
  const whose = profile === null ? 'There is no API key' : `The profile '${profile}' has no API key`;
  return new CliError(exitCodes.notAllowed, 'not_authenticated', whose, {
    hint: 'Log in with `msgctl login`, set MSGCTL_API_KEY (and MSGCTL_BASE_URL), or try the embedded service with `--profile sandbox`.',
  });
}

function noToken(message: string): CliError {
  return new CliError(exitCodes.notAllowed, 'not_authenticated', message, {
    hint: 'Set MSGCTL_SANDBOX_TOKEN to the token of that server: `msgctl serve -o json` prints it.',
  });
}

/** @throws CliError 4 when it is no token */
function readToken(env: World['env']): string | undefined {
  const token = env.MSGCTL_SANDBOX_TOKEN?.trim();
  if (!token) return undefined;
  checkKey(token, 'MSGCTL_SANDBOX_TOKEN');
  return token;
}

/** @throws CliError 4 when it is no key */
function readEnvironmentKey(env: World['env']): string | undefined {
  const key = env.MSGCTL_API_KEY?.trim();
  if (!key) return undefined;
  checkKey(key, 'MSGCTL_API_KEY');
  return key;
}

/** @throws CliError 4 when a key holds what no key has, such as the line's end of a file */
export function checkKey(key: string, what: string): void {
  if (/^[\x21-\x7e]+$/.test(key)) return;
  throw new CliError(exitCodes.notAllowed, 'not_authenticated', `${what} holds a character that no key has`);
}

/** @throws CliError 2 unless it is the address of a service */
export function checkAddress(given: string): string {
  const address = given.trim();
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw usageError(`'${address}' is not an address`, 'Give the base address of the service, such as https://api.example.com/v1');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw usageError(`The address must begin with https:// or http://, not ${url.protocol}`);
  if (url.username || url.password) throw usageError('An address must not carry a user name or a password; set MSGCTL_API_KEY');
  if (url.search || url.hash) throw usageError('An address must not carry a query or a fragment');
  return address;
}

/** Whether an address leads to this machine alone. */
export function isLoopback(baseUrl: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** The root of the server behind a base address, which ends in the version prefix. */
function originOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The embedded service that a dry run does not open. */
const unopened: Transport = {
  target: 'the embedded service',
  send: () => Promise.reject(new Error('Nothing is sent in a dry run')),
  close: () => Promise.resolve(),
};

function describeTrace({ method, path, body, status, answer, milliseconds }: Trace): string {
  const sent = body === undefined ? '' : `\n  sent ${JSON.stringify(body)}`;
  const received = answer === undefined || answer === null ? '' : `\n  received ${JSON.stringify(answer)}`;
  return `${method} ${path} -> ${status ?? 'no answer'} in ${Math.round(milliseconds)} ms${sent}${received}`;
}
