import type { Transport } from '../../client/transport.ts';
import type { OpenService, ServiceOptions } from '../../service/service.ts';
import { version } from '../../version.ts';
import type { Notes } from '../output/notes.ts';
import type { Profiles } from '../profiles/profiles.ts';
import type { World } from '../world.ts';
import { readSecret } from './checks.ts';
import type { DataDirectory } from './data-directory.ts';
import { readModelSettings } from './model-settings.ts';

/** A service in this process. */
interface Embedded {
  readonly transport: Transport;
  readonly service: OpenService;
}

/** The service of the profile `sandbox`. A command opens it at most once, when it is needed. */
export class EmbeddedService {
  readonly #world: World;
  readonly #notes: Notes;
  readonly #profiles: Profiles;
  readonly #directory: DataDirectory;
  #opened: Promise<Embedded> | null = null;
  /** Whether an interrupt has aborted its work, so that failures are expected. */
  #isCutOff = false;

  constructor(world: World, notes: Notes, profiles: Profiles, directory: DataDirectory) {
    this.#world = world;
    this.#notes = notes;
    this.#profiles = profiles;
    this.#directory = directory;
  }

  /** Opens the service. The first use creates the store and saves its key in the profile. */
  open(): Promise<Embedded> {
    return (this.#opened ??= this.#open());
  }

  /** Closes the service. It can be opened again. */
  async close(): Promise<void> {
    const opened = await this.#opened;
    this.#opened = null;
    await opened?.transport.close();
  }

  /** Leaves due jobs to the next command. Otherwise, they are run before the service is closed. */
  async leaveJobs(): Promise<void> {
    this.#isCutOff = true;
    await (await this.#opened)?.service.stopJobs(0);
  }

  /** Waits for the key of a store that another process is creating; null if it does not appear within a second. */
  async awaitKey(): Promise<string | null> {
    for (let tries = 0; tries < 20; tries++) {
      const { api_key: key } = this.#profiles.readSandbox(this.#directory.path);
      if (key !== undefined) return key;
      await this.#world.sleep(50);
    }
    return null;
  }

  async #open(): Promise<Embedded> {
    const directory = this.#directory;
    const [{ openEmbedded }, { inProcessTransport }] = await loadService();
    // A new store returns its key only once, so check first that the profile can be written.
    if (!directory.exists) await this.#profiles.probe();
    directory.make();
    const given = readSecret(this.#world.env, 'MSGCTL_SANDBOX_TOKEN');
    const service = await openEmbedded(directory.database, {
      version,
      sandboxToken: given,
      keepToken: (token) => directory.keepToken(token),
      receivers: { allowPrivate: true },
      model: readModelSettings(this.#world.env),
      onError: (error) => {
        if (!this.#isCutOff) this.#notes.say(`The embedded service: ${(error as Error).message}`);
      },
    });
    if (given !== undefined && given !== directory.readToken()) directory.writeToken(given);
    if (service.newStore)
      await this.#profiles.updateSandbox(directory.path, { api_key: service.newStore.apiKey, sub_account_id: undefined });
    return { transport: inProcessTransport(service), service };
  }
}

/** How a service in memory differs from others. */
export type ScratchOptions = Pick<ServiceOptions, 'model' | 'clock' | 'toolServers' | 'toolRunner'>;

/** Opens an in-memory service for rehearsals and tests of agents. Closing its transport discards it. */
export async function openScratchService(options: ScratchOptions = {}): Promise<Embedded> {
  const [{ openEmbedded }, { inProcessTransport }] = await loadService();
  const service = await openEmbedded(':memory:', { ...options, version, receivers: { allowPrivate: true }, onError: () => {} });
  return { transport: inProcessTransport(service), service };
}

/** Loads the service. Commands that use a server never do this. */
async function loadService() {
  return await Promise.all([import('../../service/embedded.ts'), import('./in-process-transport.ts')]);
}
