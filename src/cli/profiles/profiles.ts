import { existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeReadError, describeWriteError } from '../../contract/file-errors.ts';
import { knownWords } from '../did-you-mean.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { whenUnlocked } from '../files/lock.ts';
import { isNotWritable, makeFolder } from '../files/make-folder.ts';
import { textOf } from '../files/read.ts';
import { replaceFile } from '../files/replace-file.ts';
import { isRow } from '../output/result.ts';
import { configDirectory } from '../files/directories.ts';
import type { World } from '../world.ts';

/** A service and the user's API key for it. */
export interface Profile {
  readonly base_url: string;
  readonly api_key?: string;
  /** The command that prints the key. The key itself is stored nowhere then. */
  readonly key_command?: string;
  /** The sandbox token for this address, in profiles that `serve` creates. */
  readonly sandbox_token?: string;
  /** The default sub-account of commands. */
  readonly sub_account_id?: string;
}

/** The profile of an embedded store. */
interface SandboxProfile {
  readonly api_key?: string;
  readonly sub_account_id?: string;
}

interface Stored {
  current?: string;
  profiles?: Record<string, Profile>;
  /** By path of the data directory, so that a copy of a store does not include a key. */
  sandbox?: Record<string, SandboxProfile>;
}

/** The error for a profile that does not exist. @param names the existing profiles */
export function unknownProfileError(name: string, names: readonly string[]): CliError {
  return usageError(`There is no profile '${name}'`, knownWords('Known profiles', name, [...names, sandboxName]));
}

function findIn(profiles: Stored['profiles'] = {}, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** @throws CliError 2 if there is no such profile */
function requireIn(profiles: Stored['profiles'] = {}, name: string): Profile {
  const profile = findIn(profiles, name);
  if (!profile) throw unknownProfileError(name, Object.keys(profiles));
  return profile;
}

/** @throws CliError 2 if the name is not allowed for a profile */
export function checkProfileName(name: string): void {
  if (name === sandboxName) throw usageError(`The profile '${sandboxName}' is built in`, 'Choose another name.');
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return;
  throw usageError(
    `'${name}' is not a valid profile name`,
    'A name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
  );
}

/** The name of the built-in profile for the embedded service. */
export const sandboxName = 'sandbox';

function serialize(stored: Stored): string {
  return JSON.stringify(stored, null, '\t');
}

/** The user's profiles, in a file that only the user can read and that is replaced atomically. */
export class Profiles {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The path of the file. @throws CliError 1 if there is no home for it */
  get file(): string {
    return join(configDirectory(this.#world), 'profiles.json');
  }

  /** The name of the current profile; null if there is none. */
  current(): string | null {
    return this.#read().current ?? null;
  }

  /** Finds a profile by name; undefined if there is none. */
  find(name: string): Profile | undefined {
    return findIn(this.#read().profiles, name);
  }

  /** @throws CliError 2 if there is no such profile */
  require(name: string): Profile {
    return requireIn(this.#read().profiles, name);
  }

  names(): string[] {
    return Object.keys(this.#read().profiles ?? {});
  }

  /** Adds or replaces a profile, and makes it the current one. */
  async save(name: string, profile: Profile): Promise<void> {
    await this.#change(({ profiles = {} }) => ({ current: name, profiles: { ...profiles, [name]: profile } }));
  }

  /** Makes a profile the current one. */
  async use(name: string): Promise<void> {
    await this.#change(() => ({ current: name }));
  }

  /** Removes a profile. If it was the current one, there is no current profile afterwards. */
  async remove(name: string): Promise<void> {
    await this.#change(({ current, profiles = {} }) => {
      const { [name]: _, ...others } = profiles;
      return { profiles: others, current: current === name ? undefined : current };
    });
  }

  /** @throws CliError 2 if there is no such profile, 6 if the new name is taken */
  async rename(name: string, newName: string): Promise<void> {
    await this.#change(({ current, profiles = {} }) => {
      const profile = requireIn(profiles, name);
      const { [name]: _, ...others } = profiles;
      if (Object.hasOwn(others, newName)) throw new CliError(exitCodes.conflict, 'conflict', `The profile '${newName}' exists`);
      return { profiles: { ...others, [newName]: profile }, current: current === name ? newName : current };
    });
  }

  /** Changes a profile. Fields that are undefined in `change` are removed. @throws CliError 2 if there is no such profile */
  async update(name: string, change: { [Field in keyof Profile]?: Profile[Field] | undefined }): Promise<void> {
    await this.#change(({ profiles = {} }) => ({ profiles: { ...profiles, [name]: { ...requireIn(profiles, name), ...change } } }));
  }

  /** Rewrites the file unchanged to check that it is writable. @throws CliError 1 if it is not */
  async probe(): Promise<void> {
    await this.#change(() => ({}));
  }

  /** The profile of the embedded store in a data directory; empty if nothing is stored. */
  readSandbox(directory: string): SandboxProfile {
    return this.#read().sandbox?.[directory] ?? {};
  }

  /** Changes the profile of an embedded store. Fields that are undefined in `change` are removed. */
  async updateSandbox(directory: string, change: { [Field in keyof SandboxProfile]?: SandboxProfile[Field] | undefined }): Promise<void> {
    await this.#change(({ sandbox = {} }) => ({ sandbox: { ...sandbox, [directory]: { ...sandbox[directory], ...change } } }));
  }

  /** Reads the file without the library, which would slow down the start of every command. */
  #read(): Stored {
    const { file } = this;
    try {
      // Reading a pipe would block.
      if (!statSync(file).isFile()) throw new Error('it is not a file');
      const stored = JSON.parse(textOf(readFileSync(file), 'it')) as Stored;
      if (!isRow(stored)) throw new Error('it is not a JSON object');
      if (!isRow(stored.profiles ?? {}) || !isRow(stored.sandbox ?? {})) throw new Error('its profiles are not a JSON object');
      return stored;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      // The parser's message quotes the file, which could reveal a key.
      const isBroken = error instanceof SyntaxError;
      throw this.#unusableError(error, isBroken ? 'it is not valid JSON: repair or remove it' : describeReadError(error));
    }
  }

  /** Changes the file under a lock, so that concurrent commands do not lose each other's changes. */
  async #change(change: (stored: Stored) => Stored): Promise<void> {
    const { default: Conf } = await import('conf');
    const lock = `${this.file}.lock`;
    const busyError = () =>
      new CliError(exitCodes.failed, 'profiles', `Cannot change the profiles in ${this.file}: another command is changing them`, {
        hint: `Wait until it finishes. If no other command is running, delete ${lock}.`,
      });
    try {
      makeFolder(dirname(this.file));
      await whenUnlocked(lock, this.#world.sleep, busyError, () => {
        const stored = this.#read();
        const next = { ...stored, ...change(stored) };
        this.#replace(serialize(next), (path) => {
          const store = new Conf<Stored>({
            cwd: dirname(path),
            configName: basename(path, '.json'),
            configFileMode: 0o600,
            accessPropertiesByDotNotation: false,
            serialize,
          });
          store.store = next;
        });
      });
    } catch (error) {
      throw error instanceof CliError ? error : this.#unusableError(error, describeWriteError(error));
    }
  }

  /**
   * Replaces the file only if the new one is complete, because the library does not detect a full disk.
   * @param write writes the text to a file that does not exist yet
   */
  #replace(text: string, write: (path: string) => void): void {
    const file = existsSync(this.file) ? realpathSync(this.file) : this.file;
    const temporary = `${file}.${crypto.randomUUID()}.json`;
    try {
      write(temporary);
      if (readFileSync(temporary, 'utf8') !== text) throw new Error('the disk is full');
      replaceFile(temporary, file);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  #unusableError(error: unknown, reason: string): CliError {
    return new CliError(exitCodes.failed, 'profiles', `Cannot use the profiles in ${this.file}: ${reason}`, {
      hint: isNotWritable(error) ? 'Set XDG_CONFIG_HOME to a folder that can be written.' : undefined,
    });
  }
}
