import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../target/data-directory.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';

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

/** Says which profiles there are instead. */
export function noProfile(name: string, names: readonly string[]): CliError {
  return new CliError(exitCodes.notFound, 'not_found', `There is no profile '${name}'`, {
    hint: `Known profiles: ${[...names, sandboxName].join(', ')}`,
  });
}

/**
 * A name that a profile can be given.
 * @throws CliError 2 for any other
 */
export function checkProfileName(name: string): string {
  if (name === sandboxName) throw usageError(`The profile '${sandboxName}' is built in`, 'Choose another name.');
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return name;
  throw usageError(`'${name}' is no name for a profile`, 'A name has up to 64 letters, digits, dots, dashes and underscores.');
}

/** The name of the built-in profile: the embedded service, in process. */
export const sandboxName = 'sandbox';

/** The user's profiles, in a file that only the user can read and that is replaced as a whole. */
export class Profiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where they lie. */
  get file(): string {
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

  /** Adds a profile or replaces it whole, and makes it the one in use. */
  async save(name: string, profile: Profile): Promise<void> {
    await this.#change(({ profiles = {} }) => ({ current: name, profiles: { ...profiles, [name]: profile } }));
  }

  /** Makes a profile the one in use. */
  async use(name: string): Promise<void> {
    await this.#change(() => ({ current: name }));
  }

  /** Removes a profile; when it was in use, none is. */
  async remove(name: string): Promise<void> {
    await this.#change(({ current, profiles = {} }) => {
      const { [name]: _, ...others } = profiles;
      return { profiles: others, current: current === name ? undefined : current };
    });
  }

  /** @throws CliError 6 when there is one of the new name already, 5 when there is none of the old */
  async rename(name: string, newName: string): Promise<void> {
    await this.#change(({ current, profiles = {} }) => {
      const { [name]: profile, ...others } = profiles;
      if (!profile || !Object.hasOwn(profiles, name)) throw noProfile(name, Object.keys(profiles));
      if (Object.hasOwn(others, newName)) throw new CliError(exitCodes.conflict, 'conflict', `There is a profile '${newName}' already`);
      return { profiles: { ...others, [newName]: profile }, current: current === name ? newName : current };
    });
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
      const stored = JSON.parse(readFileSync(this.file, 'utf8')) as Stored | null;
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
    const lock = `${this.file}.lock`;
    try {
      makeFolder(this.#directory);
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
      throw error instanceof CliError ? error : this.#unusable(error);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }

  #unusable(error: unknown): CliError {
    // The parser's own words quote the file, and so perhaps a key.
    const reason = error instanceof SyntaxError ? 'it is not valid JSON; mend it, or move it away' : (error as Error).message;
    return new CliError(exitCodes.failed, 'profiles', `Cannot use the profiles in ${this.file}: ${reason}`);
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
    // One from the future is as good as none: a clock was set.
    const age = heldSince === undefined ? 0 : Math.abs(new Date().getTime() - heldSince);
    if (age > staleAfter) rmSync(path, { recursive: true, force: true });
    else await sleep(5);
  }
}
