import { Client, type Trace } from '../client/client.ts';
import type { Transport } from '../client/transport.ts';
import { version } from '../version.ts';
import { DataDirectory } from './data-directory.ts';
import { configDirectory, dataDirectory } from './directories.ts';
import { CliError, exitCodes, usageError } from './errors.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Notes } from './output/notes.ts';
import { type Profile, Profiles, sandboxName } from './profiles.ts';
import type { World } from './world.ts';

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
  /** Whether the sub-account was named for this one command. */
  readonly subAccountNamed: boolean;
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

  constructor(world: World, globals: GlobalOptions, notes: Notes) {
    this.#world = world;
    this.#globals = globals;
    this.#notes = notes;
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
    const { profile: profileFlag, baseUrl: baseUrlFlag, subAccount } = this.#globals;
    const named = profileFlag ?? env.MSGCTL_PROFILE;
    const name = named ?? this.profiles.current();
    const isSandbox = name === sandboxName;
    const stored: Partial<Profile> | undefined =
      name === null ? undefined : isSandbox ? this.profiles.findSandbox(this.dataDirectory.path) : this.profiles.find(name);
    if (name !== null && !stored) throw this.#unknownProfile(name);
    const environmentKey = env.MSGCTL_API_KEY || undefined;
    const key = environmentKey ?? stored?.api_key ?? null;
    if (environmentKey !== undefined && stored?.api_key !== undefined && stored.api_key !== environmentKey)
      this.#notes.say(`Using the key from MSGCTL_API_KEY, not the one of the profile '${name}'.`);
    const address = baseUrlFlag ?? (env.MSGCTL_BASE_URL || stored?.base_url);
    return {
      profile: name,
      baseUrl: address ? checkAddress(address) : isSandbox ? null : defaultBaseUrl,
      key,
      keySource: environmentKey === undefined ? (key === null ? null : 'profile') : 'environment',
      subAccountId: subAccount ?? (env.MSGCTL_SUB_ACCOUNT || undefined) ?? stored?.sub_account_id,
      subAccountNamed: subAccount !== undefined,
    };
  }

  /**
   * A client for the interface, as whoever the target says.
   * @throws CliError 4 when there is no key
   */
  async client(): Promise<Client> {
    if (this.#client) return this.#client;
    const target = this.resolve();
    const { transport, madeKey } =
      target.baseUrl === null ? await this.#embedded() : { transport: await remote(target.baseUrl), madeKey: null };
    const key = target.key ?? madeKey ?? (target.baseUrl === null ? await this.#awaitKey() : null);
    if (key === null) {
      await transport.close();
      throw noKey(target);
    }
    this.#target = { ...target, key, keySource: target.keySource ?? 'profile' };
    return (this.#client = this.#makeClient(transport, key, target.subAccountId));
  }

  /** A client for the control surface: of the named server, of a running one that serves the data directory, or in process. */
  async controlClient(): Promise<Client> {
    if (this.#client) return this.#client;
    const { env } = this.#world;
    const directory = this.dataDirectory;
    const address = this.#globals.baseUrl ?? env.MSGCTL_BASE_URL;
    const server = address ? null : directory.readServer();
    this.#firstAccount = server?.accountId ?? null;
    this.#controlsOwnStore = !address;
    const origin = address ? originOf(checkAddress(address)) : server?.origin;
    // Opening the embedded store makes the token where there is none.
    const transport = origin ? await remoteOrigin(origin) : (await this.#embedded()).transport;
    const token = env.MSGCTL_SANDBOX_TOKEN || directory.readToken();
    if (!token) {
      await transport.close();
      throw new CliError(exitCodes.notAllowed, 'not_authenticated', `There is no sandbox token in ${directory.path}`, {
        hint: 'Set MSGCTL_SANDBOX_TOKEN to the token that the server printed when it made its store.',
      });
    }
    return (this.#client = this.#makeClient(transport, token, undefined));
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

  /** Changes what the target's profile remembers; false when there is no profile. */
  async remember(change: { api_key?: string | undefined; sub_account_id?: string | undefined }): Promise<boolean> {
    const { profile } = this.resolve();
    if (profile === null) return false;
    if (profile === sandboxName) await this.profiles.updateSandbox(this.dataDirectory.path, change);
    else await this.profiles.update(profile, change);
    return true;
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** Opens the embedded service; on the first use it makes the store, and its key goes into the profile. */
  async #embedded(): Promise<{ transport: Transport; madeKey: string | null }> {
    const directory = this.dataDirectory;
    const [{ openEmbedded }, { inProcessTransport }] = await Promise.all([
      import('../service/embedded.ts'),
      import('./in-process-transport.ts'),
    ]);
    directory.make();
    const service = await openEmbedded(directory.database, {
      version,
      sandboxToken: this.#world.env.MSGCTL_SANDBOX_TOKEN || undefined,
      onError: (error) => this.#notes.say(`The embedded service: ${(error as Error).message}`),
    });
    const token = this.#world.env.MSGCTL_SANDBOX_TOKEN || service.made?.sandboxToken;
    if (token && token !== directory.readToken()) directory.writeToken(token);
    if (service.made) {
      await this.profiles.updateSandbox(directory.path, { api_key: service.made.apiKey, sub_account_id: undefined });
    }
    this.#firstAccount = service.accountId;
    return { transport: inProcessTransport(service), madeKey: service.made?.apiKey ?? null };
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

  #makeClient(transport: Transport, key: string, subAccountId: string | undefined): Client {
    const { sleep, random, now } = this.#world;
    return new Client({
      transport,
      key,
      subAccountId,
      userAgent: `msgctl/${version}`,
      sleep,
      random,
      now,
      onRetry: (reason, milliseconds) => this.#notes.say(`${reason}; trying again in ${(milliseconds / 1000).toFixed(1)} s`),
      onTrace: this.#globals.debug ? (trace) => this.#notes.say(describeTrace(trace)) : undefined,
    });
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
    hint: 'Set MSGCTL_API_KEY (and MSGCTL_BASE_URL) to work with an account, or try the embedded service with `--profile sandbox`.',
  });
}

function checkAddress(address: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw usageError(`'${address}' is not an address`, 'Give the base address of the service, such as https://api.example.com/v1');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw usageError(`The address must begin with https:// or http://, not ${url.protocol}`);
  if (url.username || url.password) throw usageError('An address must not carry a user name or a password; set MSGCTL_API_KEY');
  return address;
}

/** The root of the server behind a base address, which ends in the version prefix. */
export function originOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
}

async function remote(baseUrl: string): Promise<Transport> {
  return await remoteOrigin(originOf(baseUrl));
}

async function remoteOrigin(origin: string): Promise<Transport> {
  const { remoteTransport } = await import('../client/remote-transport.ts');
  return remoteTransport(origin);
}

function describeTrace({ method, path, body, status, answer, milliseconds }: Trace): string {
  const sent = body === undefined ? '' : `\n  sent ${JSON.stringify(body)}`;
  const received = answer === undefined || answer === null ? '' : `\n  received ${JSON.stringify(answer)}`;
  return `${method} ${path} -> ${status ?? 'no answer'} in ${Math.round(milliseconds)} ms${sent}${received}`;
}
