import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    return this.#read().profiles?.[name];
  }

  names(): string[] {
    return Object.keys(this.#read().profiles ?? {});
  }

  /** Changes a profile; what is undefined in `change` is removed from it. */
  async update(name: string, change: { [Field in keyof Profile]?: Profile[Field] | undefined }): Promise<void> {
    const { profiles = {} } = this.#read();
    await this.#write({ profiles: { ...profiles, [name]: { base_url: '', ...profiles[name], ...change } } });
  }

  findSandbox(directory: string): SandboxProfile {
    return this.#read().sandbox?.[directory] ?? {};
  }

  /** Changes what is remembered of an embedded store. */
  async updateSandbox(directory: string, change: { [Field in keyof SandboxProfile]?: SandboxProfile[Field] | undefined }): Promise<void> {
    const { sandbox = {} } = this.#read();
    await this.#write({ sandbox: { ...sandbox, [directory]: { ...sandbox[directory], ...change } } });
  }

  /** Reading needs no more than the file: to load the library would cost every command. */
  #read(): Stored {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Stored;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw this.#unusable(error);
    }
  }

  async #write(change: Stored): Promise<void> {
    const { default: Conf } = await import('conf');
    try {
      const store = new Conf<Stored>({
        cwd: this.#directory,
        configName: 'profiles',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
      });
      store.store = { ...store.store, ...change };
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(error: unknown): CliError {
    return new CliError(exitCodes.failed, 'profiles', `Cannot use the profiles in ${this.#file}: ${(error as Error).message}`);
  }
}
