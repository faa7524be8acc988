import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from './errors.ts';

/** A service that the user works with. */
export interface Profile {
  readonly base_url: string;
  readonly api_key?: string;
  /** The sub-account that commands act on unless they name another. */
  readonly sub_account_id?: string;
}

/** What is remembered of an embedded store. */
export interface SandboxProfile {
  readonly api_key?: string;
  readonly sub_account_id?: string;
}

interface Stored {
  current?: string;
  profiles?: Record<string, Profile>;
  /** By the path of the data directory. */
  sandbox?: Record<string, SandboxProfile>;
}

/** The name of the built-in profile: the embedded service, in process. */
export const sandboxName = 'sandbox';

/** The user's profiles, in a file that only the user can read and that is replaced as a whole. */
export class Profiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get #file(): string {
    return join(this.#directory, 'profiles.json');
  }

  /** The name of the profile in use; null when none was chosen. */
  current(): string | null {
    return this.#read().current ?? null;
  }

  find(name: string): Profile | undefined {
    const { profiles = {} } = this.#read();
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  }

  names(): string[] {
    return Object.keys(this.#read().profiles ?? {});
  }

  /** Changes a profile; what is undefined in `change` is removed from it. */
  async update(name: string, change: { [Field in keyof Profile]?: Profile[Field] | undefined }): Promise<void> {
    await this.#change(({ profiles = {} }) => ({ profiles: { ...profiles, [name]: { base_url: '', ...profiles[name], ...change } } }));
  }

  /** Writes the profiles as they are. @throws CliError when they cannot be written */
  async probe(): Promise<void> {
    await this.#change(() => ({}));
  }

  findSandbox(directory: string): SandboxProfile {
    return this.#read().sandbox?.[directory] ?? {};
  }

  /** Changes what is remembered of an embedded store. */
  async updateSandbox(directory: string, change: { [Field in keyof SandboxProfile]?: SandboxProfile[Field] | undefined }): Promise<void> {
    await this.#change(({ sandbox = {} }) => ({ sandbox: { ...sandbox, [directory]: { ...sandbox[directory], ...change } } }));
  }

  /** Reading needs no more than the file: to load the library would cost every command. */
  #read(): Stored {
    try {
      const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as Stored | null;
      if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) throw new Error('it is not a JSON object');
      return stored;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw this.#unusable(error);
    }
  }

  /** Changes the file under a lock, so that two commands at once lose nothing of each other's. */
  async #change(change: (stored: Stored) => Stored): Promise<void> {
    const { default: Conf } = await import('conf');
    const lock = `${this.#file}.lock`;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      await takeLock(lock);
    } catch (error) {
      throw this.#unusable(error);
    }
    try {
      const store = new Conf<Stored>({
        cwd: this.#directory,
        configName: 'profiles',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
      });
      store.store = { ...store.store, ...change(store.store) };
    } catch (error) {
      throw this.#unusable(error);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }

  #unusable(error: unknown): CliError {
    return new CliError(exitCodes.failed, 'profiles', `Cannot use the profiles in ${this.#file}: ${(error as Error).message}`);
  }
}

/** After how many milliseconds a lock counts as left behind by a process that was killed. */
const staleAfter = 5_000;

/** Makes a folder that only one process can make, waiting while another holds it. */
async function takeLock(path: string): Promise<void> {
  for (;;) {
    try {
      mkdirSync(path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const heldSince = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    const age = heldSince === undefined ? 0 : new Date().getTime() - heldSince;
    if (age > staleAfter) rmSync(path, { recursive: true, force: true });
    else await sleep(5);
  }
}
