import { Client, type Trace, type Wait } from '../../client/client.ts';
import type { KeySource } from '../../client/errors.ts';
import type { Transport } from '../../client/transport.ts';
import { version } from '../../version.ts';
import type { OpenService } from '../../service/service.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { tokenHint } from '../explain.ts';
import { flagOrVariable, type GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import { withSpinner } from '../output/spinner.ts';
import { type Profile, Profiles, sandboxName } from '../profiles/profiles.ts';
import type { World } from '../world.ts';
import { originOf, parseAddress, readSecret } from './checks.ts';
import { DataDirectory, type ServerNote } from './data-directory.ts';
import { configDirectory, dataDirectory } from './directories.ts';
import { readModelSettings } from './model-settings.ts';

/** The default address of `msgctl serve`, and the address for a key without a profile or an address. */
export const defaultBaseUrl = 'http://127.0.0.1:4600/v1';

/** The service that commands call, and the credentials they use. */
export interface Target {
  /** The name of the profile; null when flags and the environment give everything. */
  readonly profile: string | null;
  /** The base address of the service; null for the embedded service. */
  readonly baseUrl: string | null;
  readonly key: string | null;
  readonly keySource: 'environment' | 'profile' | null;
  /** The address that the profile's key is for, when that is another one; the key is then not used. */
  readonly keyElsewhere: string | null;
  readonly subAccountId: string | undefined;
}

/** How calls are made. */
interface CallOptions {
  /** Whether to send nothing, and not open the embedded store. */
  readonly dryRun?: boolean;
  /** Sends every call once, without retries, and aborts it on this signal. */
  readonly signal?: AbortSignal;
}

/** Chooses the service and opens clients. A flag takes precedence over the environment, and the environment over the profile. */
export class Targets {
  readonly profiles: Profiles;
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  #client: Client | null = null;
  #sandboxClient: Client | null = null;
  #target: Target | null = null;
  #firstAccount: string | null = null;
  #isOwnSandbox = false;
  #hasNotedKey = false;
  #acting: { readonly subAccountId: string | undefined } | null = null;
  readonly #options: CallOptions;

  constructor(world: World, globals: GlobalOptions, notes: Notes, options: CallOptions = {}) {
    this.#world = world;
    this.#globals = globals;
    this.#notes = notes;
    this.#options = options;
    this.profiles = new Profiles(configDirectory(world), world.sleep);
  }

  /** The data directory of the embedded service. */
  get dataDirectory(): DataDirectory {
    return new DataDirectory(dataDirectory(this.#world));
  }

  /**
   * The target of this command.
   * @throws CliError 2 when the profile does not exist or the address is malformed, 4 when the key is malformed
   */
  resolve(): Target {
    return (this.#target ??= this.#resolve());
  }

  #resolve(): Target {
    const { env } = this.#world;
    const given = flagOrVariable(this.#globals.baseUrl, env, 'MSGCTL_BASE_URL');
    const environmentKey = readSecret(env, 'MSGCTL_API_KEY');
    // With both given, no profile is needed, not even a readable profiles file.
    const needsNoProfile = given !== undefined && environmentKey !== undefined;
    const name = flagOrVariable(this.#globals.profile, env, 'MSGCTL_PROFILE') ?? this.#currentProfile(needsNoProfile);
    const isSandbox = name === sandboxName;
    const stored: Partial<Profile> | undefined =
      name === null ? undefined : isSandbox ? this.profiles.readSandbox(this.dataDirectory.path) : this.profiles.find(name);
    if (name !== null && !stored) throw this.#unknownProfileError(name);
    const address = given === undefined ? stored?.base_url : parseAddress(given);
    // A stored key is sent only to the address that it was stored for.
    const belongs = isSandbox ? given === undefined : originOf(stored?.base_url ?? '') === originOf(address ?? '');
    const storedKey = belongs ? stored?.api_key : undefined;
    const key = environmentKey ?? storedKey ?? null;
    if (environmentKey !== undefined && storedKey !== undefined && storedKey !== environmentKey && !this.#hasNotedKey) {
      this.#notes.say(`Using the key from MSGCTL_API_KEY, not the one of the profile '${name}'.`);
      this.#hasNotedKey = true;
    }
    return {
      profile: name,
      baseUrl: address ?? (isSandbox ? null : defaultBaseUrl),
      key,
      keySource: environmentKey === undefined ? (key === null ? null : 'profile') : 'environment',
      keyElsewhere: belongs || !(isSandbox || stored?.api_key) ? null : (stored?.base_url ?? 'the embedded service'),
      subAccountId: this.#acting ? this.#acting.subAccountId : belongs ? stored?.sub_account_id : undefined,
    };
  }

  #currentProfile(isOptional: boolean): string | null {
    try {
      return this.profiles.current();
    } catch (error) {
      if (!isOptional) throw error;
      return null;
    }
  }

  /** Makes later calls act on this sub-account instead of the profile's; on the key's own account with undefined. */
  actOn(subAccountId: string | undefined): void {
    this.#acting = { subAccountId };
    if (this.#target) this.#target = { ...this.#target, subAccountId };
    this.#client = this.#client?.actingOn(subAccountId) ?? null;
  }

  /**
   * A client for the interface, with the credentials of the target.
   * @throws CliError 4 when there is no key
   */
  async client(): Promise<Client> {
    if (this.#client) return this.#client;
    const target = this.resolve();
    if (target.baseUrl !== null) {
      if (target.key === null) throw noKeyError(target);
      return (this.#client = this.#makeClient(
        await this.#remoteTo(originOf(target.baseUrl)),
        target.key,
        target.keySource ?? 'profile',
        target.subAccountId,
      ));
    }
    if (this.#options.dryRun) return (this.#client = this.#makeClient(unopened, target.key ?? '', 'embedded', target.subAccountId));
    const { transport, service } = await this.#embedded();
    // A store that was just created does not know a key from before.
    const stored = target.keySource === 'environment' ? target.key : (service.made?.apiKey ?? target.key);
    const key = stored ?? (await this.#awaitKey());
    if (key === null) {
      await transport.close();
      throw noKeyError(target);
    }
    this.#target = { ...target, key, keySource: target.keySource ?? 'profile' };
    const source = target.keySource === 'environment' ? 'environment' : 'embedded';
    return (this.#client = this.#makeClient(transport, key, source, target.subAccountId));
  }

  /**
   * A client for the sandbox: of the given server, of a running server that serves the data directory, or in process.
   * @throws CliError 4 when there is no sandbox token
   */
  async sandboxClient(): Promise<Client> {
    if (this.#sandboxClient) return this.#sandboxClient;
    const directory = this.dataDirectory;
    const given = readSecret(this.#world.env, 'MSGCTL_SANDBOX_TOKEN') ?? null;
    const address = this.#sandboxAddress();
    if (address !== null) {
      // The token of the data directory is only for the server of that directory.
      if (given === null) throw noTokenError(`No sandbox token for ${address}`);
      return (this.#sandboxClient = this.#makeClient(await this.#remoteTo(address), given, 'sandbox-token'));
    }
    if (this.#options.dryRun) return (this.#sandboxClient = this.#makeClient(unopened, '', 'sandbox-token'));
    this.#isOwnSandbox = true;
    const server = directory.readServer();
    const proven = server && (await this.#provenTransport(server));
    if (server && proven) {
      this.#firstAccount = server.accountId;
      const token = given ?? directory.readToken();
      if (token !== null) return (this.#sandboxClient = this.#makeClient(proven, token, 'sandbox-token'));
      await proven.close();
      throw noTokenError(`No sandbox token in ${directory.path}`);
    }
    const { transport, service } = await this.#embedded();
    // A process that can open the store may create a token, so a lost one is replaced.
    const known = given ?? directory.readToken();
    const token = known ?? (await service.makeToken());
    if (known === null) directory.writeToken(token);
    return (this.#sandboxClient = this.#makeClient(transport, token, 'sandbox-token'));
  }

  /** The target of the sandbox client, for a confirmation. */
  describeSandbox(): string {
    return this.#sandboxAddress() ?? this.dataDirectory.readServer()?.origin ?? `the embedded service in ${this.dataDirectory.path}`;
  }

  #sandboxAddress(): string | null {
    const address = flagOrVariable(this.#globals.baseUrl, this.#world.env, 'MSGCTL_BASE_URL');
    return address === undefined ? null : originOf(parseAddress(address));
  }

  /** A transport to the server of a note; null when the server is gone. The token is sent only to a server that proves its identity. */
  async #provenTransport(note: ServerNote): Promise<Transport | null> {
    const [transport, { provesItself }] = await Promise.all([this.#remoteTo(note.origin), import('./server-proof.ts')]);
    let isProven = false;
    try {
      isProven = await provesItself(transport, note);
      return isProven ? transport : null;
    } finally {
      if (!isProven) await transport.close();
    }
  }

  /** The first account of the store that the sandbox client calls; null when it is unknown. */
  get firstAccount(): string | null {
    return this.#firstAccount;
  }

  /** Changes the profile `sandbox`; false when the sandbox client calls another store than the profile's. */
  async rememberSandbox(change: { api_key?: string | undefined; sub_account_id?: string | undefined }): Promise<boolean> {
    if (!this.#isOwnSandbox) return false;
    await this.profiles.updateSandbox(this.dataDirectory.path, change);
    return true;
  }

  /** Records the first account that a reset created. */
  setFirstAccount(accountId: string): void {
    this.#firstAccount = accountId;
    if (!this.#isOwnSandbox) return;
    const note = this.dataDirectory.readServer();
    if (note) this.dataDirectory.writeServer({ ...note, accountId });
  }

  /** Resolves the target again later, because another command may have changed the profile during a prompt. */
  forget(): void {
    this.#target = null;
  }

  /** Changes the target's profile; false when there is none, or it belongs to another service. */
  async remember(change: { api_key?: string | undefined; sub_account_id?: string | undefined }): Promise<boolean> {
    const { profile, baseUrl } = this.resolve();
    if (profile === null) return false;
    // An account of one service must not be stored in the profile of another.
    if (baseUrl !== (this.profiles.find(profile)?.base_url ?? null)) return false;
    if (profile === sandboxName) await this.profiles.updateSandbox(this.dataDirectory.path, change);
    else await this.profiles.update(profile, change);
    return true;
  }

  /** Closes the clients, and with them the embedded service. */
  async close(): Promise<void> {
    await this.#sandboxClient?.close();
    await this.#client?.close();
  }

  /** Opens the embedded service. The first use creates the store and stores its key in the profile. */
  async #embedded(): Promise<{ transport: Transport; service: OpenService }> {
    const directory = this.dataDirectory;
    const [{ openEmbedded }, { inProcessTransport }] = await Promise.all([
      import('../../service/embedded.ts'),
      import('./in-process-transport.ts'),
    ]);
    // A new store shows its key only once: check first that the profile can store it.
    if (!directory.exists) await this.profiles.probe();
    directory.make();
    const given = readSecret(this.#world.env, 'MSGCTL_SANDBOX_TOKEN');
    const service = await openEmbedded(directory.database, {
      version,
      sandboxToken: given,
      keepToken: (token) => directory.keepToken(token),
      receivers: { allowPrivate: true },
      model: readModelSettings(this.#world.env),
      onError: (error) => this.#notes.say(`The embedded service: ${(error as Error).message}`),
    });
    if (given !== undefined && given !== directory.readToken()) directory.writeToken(given);
    if (service.made) await this.profiles.updateSandbox(directory.path, { api_key: service.made.apiKey, sub_account_id: undefined });
    this.#firstAccount = service.accountId;
    return { transport: inProcessTransport(service), service };
  }

  /** Waits for the key of a store that another process is just creating; null when it does not appear within a second. */
  async #awaitKey(): Promise<string | null> {
    for (let tries = 0; tries < 20; tries++) {
      const { api_key: key } = this.profiles.readSandbox(this.dataDirectory.path);
      if (key !== undefined) return key;
      await this.#world.sleep(50);
    }
    return null;
  }

  async #remoteTo(origin: string): Promise<Transport> {
    const { remoteTransport } = await import('../../client/remote-transport.ts');
    return remoteTransport(origin, this.#options.signal);
  }

  /** A client for a service without a profile, for `login`. */
  async clientAt(baseUrl: string, key: string): Promise<Client> {
    return (this.#client = this.#makeClient(await this.#remoteTo(originOf(baseUrl)), key, 'login'));
  }

  #makeClient(transport: Transport, key: string, keySource: KeySource, subAccountId?: string): Client {
    const { sleep, random, now } = this.#world;
    const { dryRun = false, signal } = this.#options;
    return new Client({
      transport: withSpinner(transport, this.#world, this.#globals),
      dryRun,
      retries: signal === undefined,
      key,
      keySource,
      subAccountId,
      userAgent: `msgctl/${version}`,
      sleep,
      random,
      now,
      onRetry: (wait) => this.#noteWait(wait),
      onTrace: this.#globals.debug ? (trace) => this.#notes.insist(describeTrace(trace)) : undefined,
    });
  }

  /** Notes a wait. Scripts see a wait for the rate limit too, in the output format they chose, because it can be long. */
  #noteWait({ reason, milliseconds, isRateLimit }: Wait): void {
    const seconds = Number((milliseconds / 1000).toFixed(1));
    const text = `${reason}; trying again in ${seconds.toFixed(1)} s`;
    if (!isRateLimit || this.#globals.quiet) this.#notes.say(text);
    else this.#notes.insist(this.#globals.output === 'json' ? JSON.stringify({ event: 'waiting', message: text, seconds }) : text);
  }

  #unknownProfileError(name: string): CliError {
    const names = [...this.profiles.names(), sandboxName];
    return usageError(`There is no profile '${name}'`, `Known profiles: ${names.join(', ')}`);
  }
}

function noKeyError({ profile, baseUrl, keyElsewhere }: Target): CliError {
  if (baseUrl === null)
    return new CliError(exitCodes.notAllowed, 'not_authenticated', 'The key of this embedded store is unknown', {
      hint: 'Create a new main key with `msgctl sandbox main-key`, or set MSGCTL_API_KEY.',
    });
  if (keyElsewhere !== null)
    return new CliError(
      exitCodes.notAllowed,
      'not_authenticated',
      `The key of the profile '${profile}' is for ${keyElsewhere}, not for ${baseUrl}`,
      {
        hint: 'Omit --base-url and MSGCTL_BASE_URL, choose another profile with --profile, or set MSGCTL_API_KEY to a key of that service.',
      },
    );
  const whose = profile === null ? 'There is no API key' : `The profile '${profile}' has no API key`;
  return new CliError(exitCodes.notAllowed, 'not_authenticated', whose, {
    hint: 'Log in with `msgctl login`, set MSGCTL_API_KEY (and MSGCTL_BASE_URL), or try the embedded service with `--profile sandbox`.',
  });
}

function noTokenError(message: string): CliError {
  return new CliError(exitCodes.notAllowed, 'not_authenticated', message, {
    hint: tokenHint,
  });
}

/** Replaces the embedded service, which a dry run does not open. */
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
