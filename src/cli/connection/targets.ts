import type { Client } from '../../client/client.ts';
import type { Transport } from '../../client/transport.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import { Profiles } from '../profiles/profiles.ts';
import type { World } from '../world.ts';
import { originOf } from './checks.ts';
import { type CallOptions, Clients } from './clients.ts';
import { noKeyError, noProfileTokenError, noTokenError } from './credential-errors.ts';
import { DataDirectory, type ServerNote } from './data-directory.ts';
import { CliError, exitCodes } from '../errors.ts';
import { unopened } from './unopened.ts';
import { dataDirectory } from '../files/directories.ts';
import { EmbeddedService, openScratchService, type ScratchOptions } from './embedded-service.ts';
import { SeededKeys } from '../../client/request-keys.ts';
import { type SandboxTarget, type Target, TargetChoice } from './target-choice.ts';

/** Opens the clients of a command, for the service determined by its options, the environment or a profile. */
export class Targets {
  readonly profiles: Profiles;
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  #client: Client | null = null;
  #sandboxClient: Client | null = null;
  #target: Target | null = null;
  #sandboxTarget: SandboxTarget | null = null;
  #firstAccount: string | null = null;
  #acting: { readonly subAccountId: string | undefined } | null = null;
  readonly #options: CallOptions;
  /** The targets of the whole command, if this object is for one of its accounts. */
  readonly #whole: Targets | null;
  readonly #clients: Clients;
  readonly #choice: TargetChoice;
  #embedded: EmbeddedService | null = null;

  constructor(world: World, globals: GlobalOptions, notes: Notes, options: CallOptions = {}, whole: Targets | null = null) {
    this.#world = world;
    this.#globals = globals;
    this.#notes = notes;
    this.#options = options;
    this.#whole = whole;
    this.#clients = whole ? whole.#clients : new Clients(world, globals, notes, options);
    this.profiles = new Profiles(world);
    this.#choice = new TargetChoice(world, globals, notes, this.profiles);
  }

  /** Number of requests that were sent so far. */
  get requests(): number {
    return this.#clients.requests;
  }

  /** Wraps the environment so that its values are omitted from traces once they are read. */
  secretEnvironment(env: World['env']): World['env'] {
    return new Proxy(env, {
      get: (all, name: string) => {
        const value = all[name];
        if (value !== undefined) this.#clients.hide(value);
        return value;
      },
    });
  }

  /** Makes subsequent requests wait for the rate limit instead of being rejected. */
  pace(): void {
    this.#clients.pace();
  }

  /** Minimum time that further requests wait for the rate limit, in milliseconds. */
  waitOf(requests: number): number {
    return this.#clients.waitOf(requests);
  }

  /** The data directory of the embedded service. */
  get dataDirectory(): DataDirectory {
    return new DataDirectory(dataDirectory(this.#world));
  }

  /**
   * The target of this command.
   * @throws CliError 2 if the profile does not exist or the address is invalid, 4 if the key is invalid
   */
  resolve(): Target {
    return (this.#target ??= { ...this.#choice.target(), ...this.#acting });
  }

  #resolveSandbox(): SandboxTarget {
    return (this.#sandboxTarget ??= this.#choice.sandbox());
  }

  /** Makes later calls act on this sub-account instead of the profile's. Undefined is the key's own account. */
  actOn(subAccountId: string | undefined): void {
    this.#acting = { subAccountId };
    if (this.#target) this.#target = { ...this.#target, subAccountId };
    this.#client = this.#client?.actingOn(subAccountId) ?? null;
  }

  /**
   * Returns targets for one account, so that calls can act on several accounts concurrently. They share the connection of this
   * object, which stays open.
   * @param seed from what the keys of the requests are made; by default, each gets a new one
   */
  async forAccount(subAccountId: string | undefined, seed?: string): Promise<Targets> {
    const own = new Targets(this.#world, this.#globals, this.#notes, this.#options, this);
    const client = await this.client();
    own.#acting = { subAccountId };
    own.#target = { ...this.resolve(), subAccountId };
    own.#client = client.actingOn(subAccountId);
    if (seed !== undefined) own.#client = own.#client.withKeys(new SeededKeys(seed));
    return own;
  }

  /**
   * A client for the API with the credentials of the target.
   * @throws CliError 4 if there is no key
   */
  async client(): Promise<Client> {
    if (this.#client) return this.#client;
    const target = this.resolve();
    if (target.baseUrl !== null) {
      const key = target.key ?? (await this.#readKey(target));
      return (this.#client = this.#clients.make(
        await this.#clients.remoteTo(originOf(target.baseUrl)),
        key,
        target.keySource ?? 'profile',
        target.subAccountId,
      ));
    }
    if (this.#options.dryRun) return (this.#client = this.#clients.make(this.#unopened, target.key ?? '', 'embedded', target.subAccountId));
    const { transport, service } = await this.#openEmbedded();
    // The stored key may be from before the store was created, so the new store's key takes precedence.
    const stored = target.keySource === 'environment' ? target.key : (service.newStore?.apiKey ?? target.key);
    const key = stored ?? (await this.#embeddedService.awaitKey());
    if (key === null) {
      await this.#embeddedService.close();
      throw noKeyError(target);
    }
    this.#target = { ...target, key, keySource: target.keySource ?? 'profile' };
    const source = target.keySource === 'environment' ? 'environment' : 'embedded';
    return (this.#client = this.#clients.make(transport, key, source, target.subAccountId));
  }

  /** Runs the key command of the target. @throws CliError 4 if there is none, or it fails */
  async #readKey(target: Target): Promise<string> {
    if (target.keyCommand === null) throw noKeyError(target);
    const { readKey } = await import('./key-command.ts');
    const key = await readKey(target.keyCommand, this.#world, this.#options.signal);
    this.#clients.hide(key);
    this.#target = { ...target, key };
    return key;
  }

  /**
   * A client for the sandbox of the given or the profile's server, of a running server that serves the data directory, or in
   * this process.
   * @throws CliError 4 if there is no sandbox token
   */
  async sandboxClient(): Promise<Client> {
    if (this.#whole) return await this.#whole.sandboxClient();
    return (this.#sandboxClient ??= await this.#openSandbox(this.#resolveSandbox()));
  }

  async #openSandbox({ profile, origin, token: given }: SandboxTarget): Promise<Client> {
    const directory = this.dataDirectory;
    if (origin !== null) {
      // The token in the data directory is only valid for the server of that directory.
      if (given === null) throw profile === null ? noTokenError(`No sandbox token for ${origin}`) : noProfileTokenError(profile, origin);
      return this.#clients.make(await this.#clients.remoteTo(origin), given, 'sandbox-token');
    }
    if (this.#options.dryRun) return this.#clients.make(this.#unopened, given ?? directory.readToken() ?? '', 'sandbox-token');
    for (const server of directory.readServers()) {
      const proven = await this.#provenTransport(server);
      if (!proven) continue;
      this.#firstAccount = server.accountId;
      const token = given ?? directory.readToken();
      if (token !== null) return this.#clients.make(proven, token, 'sandbox-token');
      await proven.close();
      throw noTokenError(`No sandbox token in ${directory.path}`);
    }
    const { transport, service } = await this.#openEmbedded();
    // A process that can open the store is allowed to create a token, so a lost one is replaced.
    const known = given ?? directory.readToken();
    const token = known ?? (await service.makeToken());
    if (known === null) directory.writeToken(token);
    return this.#clients.make(transport, token, 'sandbox-token');
  }

  /** The sandbox client of the service that `client` calls; null if there is no token for it. */
  async sandboxAtHand(): Promise<Client | null> {
    const { baseUrl } = this.resolve();
    if ((baseUrl === null ? null : originOf(baseUrl)) !== this.#resolveSandbox().origin) return null;
    try {
      return await this.sandboxClient();
    } catch (error) {
      if (error instanceof CliError && error.exitCode === exitCodes.notAllowed) return null;
      throw error;
    }
  }

  /** Describes the target of the sandbox client for a confirmation prompt. */
  describeSandbox(): string {
    const { profile, origin } = this.#resolveSandbox();
    if (origin !== null) return profile === null ? origin : `profile ${profile}, ${origin}`;
    return this.dataDirectory.readServers()[0]?.origin ?? `the embedded service in ${this.dataDirectory.path}`;
  }

  /** Describes the server or embedded service of the sandbox client for a note. */
  async sandboxPlace(): Promise<string> {
    const { profile, origin } = this.#resolveSandbox();
    const { target } = await this.sandboxClient();
    if (origin === null) return `${target} (the store in ${this.dataDirectory.path})`;
    return profile === null ? target : `${target} (profile ${profile})`;
  }

  /**
   * A transport to the server of a note; null if the server has ended. The token is only sent to a server that proves its
   * identity.
   */
  async #provenTransport(note: ServerNote): Promise<Transport | null> {
    const [transport, { provesItself }] = await Promise.all([this.#clients.remoteTo(note.origin, true), import('./server-proof.ts')]);
    let isProven = false;
    try {
      isProven = await provesItself(transport, note);
      return isProven ? transport : null;
    } finally {
      if (!isProven) await transport.close();
    }
  }

  /** The id of the first account in the store of the sandbox client; null if it is unknown. */
  get firstAccount(): string | null {
    return this.#whole ? this.#whole.firstAccount : this.#firstAccount;
  }

  /** The profile of the sandbox client's server or store; null if it has none. */
  get sandboxProfile(): string | null {
    return this.#resolveSandbox().profile;
  }

  /** Sets the id of the first account that a reset created. */
  setFirstAccount(accountId: string): void {
    this.#firstAccount = accountId;
    if (this.#resolveSandbox().origin !== null) return;
    for (const note of this.dataDirectory.readServers()) this.dataDirectory.writeServer({ ...note, accountId });
  }

  /** Discards the cached target, because another command may have changed the profile during a prompt. */
  forget(): void {
    this.#target = null;
    this.#sandboxTarget = null;
  }

  /**
   * Aborts outstanding requests and leaves due jobs of the embedded service to the next command. Called when the user
   * interrupts the command; otherwise, both are waited for.
   */
  async leave(): Promise<void> {
    this.#clients.leave();
    await this.#embedded?.leaveJobs();
  }

  /** Closes the clients and the embedded service. */
  async close(): Promise<void> {
    await this.#sandboxClient?.close();
    await this.#client?.close();
  }

  /** Opens an in-memory service for rehearsals. Closing its client discards it. */
  async openScratch(options: ScratchOptions = {}): Promise<{ client: Client; sandbox: Client; accountId: string }> {
    const { transport, service } = await openScratchService(options);
    const client = this.#clients.make(transport, service.newStore?.apiKey ?? '', 'embedded');
    const sandbox = this.#clients.make(transport, await service.makeToken(), 'sandbox-token');
    return { client, sandbox, accountId: service.accountId };
  }

  get #embeddedService(): EmbeddedService {
    return (this.#embedded ??= new EmbeddedService(this.#world, this.#notes, this.profiles, this.dataDirectory));
  }

  async #openEmbedded(): ReturnType<EmbeddedService['open']> {
    const opened = await this.#embeddedService.open();
    this.#firstAccount ??= opened.service.accountId;
    return opened;
  }

  get #unopened(): Transport {
    return unopened(this.dataDirectory, async () => (await this.#openEmbedded()).transport);
  }

  /** A client for a service without a profile, for `login`. */
  async clientAt(baseUrl: string, key: string): Promise<Client> {
    return (this.#client = this.#clients.make(await this.#clients.remoteTo(originOf(baseUrl)), key, 'login'));
  }
}
