import { flagOrVariable, type GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import { type Profile, type Profiles, sandboxName, unknownProfileError } from '../profiles/profiles.ts';
import type { World } from '../world.ts';
import { originOf, readAddress, readSecret } from './checks.ts';
import { dataDirectory } from '../files/directories.ts';

/** The default address of `msgctl serve`, also used for a key without a profile or base URL. */
export const defaultBaseUrl = 'http://127.0.0.1:4600/v1';

/** The service that commands call, and the credentials for it. */
export interface Target {
  /** The name of the profile; null if options and environment provide everything. */
  readonly profile: string | null;
  /** The base URL of the service; null for the embedded service. */
  readonly baseUrl: string | null;
  /** Null also while a key command has not been run. */
  readonly key: string | null;
  readonly keySource: 'environment' | 'profile' | 'command' | null;
  /** The command that prints the key; null where the key does not come from one. */
  readonly keyCommand: string | null;
  /** The base URL that the profile's key is for, if it differs. The key is not used then. */
  readonly keyElsewhere: string | null;
  readonly subAccountId: string | undefined;
}

/** The service that sandbox commands act on, and the credential for it. */
export interface SandboxTarget {
  /** The profile of the server or store; null if the address is not from a profile. */
  readonly profile: string | null;
  /** The origin of the server; null for the embedded store. */
  readonly origin: string | null;
  /** The token from the environment or the profile. The embedded store has its own token in its directory. */
  readonly token: string | null;
}

/** The profile of a command, and the address from its options, the environment or the profile. */
interface Place {
  readonly name: string | null;
  readonly stored: Partial<Profile> | undefined;
  readonly address: string | undefined;
  /** Whether the secrets of the profile were stored for this address. */
  readonly belongs: boolean;
}

/**
 * Determines the service that a command calls. Options take precedence over the environment, and the environment over the
 * profile.
 */
export class TargetChoice {
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  readonly #profiles: Profiles;
  #hasNotedKey = false;

  constructor(world: World, globals: GlobalOptions, notes: Notes, profiles: Profiles) {
    this.#world = world;
    this.#globals = globals;
    this.#notes = notes;
    this.#profiles = profiles;
  }

  /**
   * The target of commands.
   * @throws CliError 2 if the profile does not exist or the address is invalid, 4 if the key is invalid
   */
  target(): Target {
    const environmentKey = readSecret(this.#world.env, 'MSGCTL_API_KEY');
    const { name, stored, address, belongs } = this.#place(environmentKey !== undefined);
    const isSandbox = name === sandboxName;
    const storedKey = belongs ? stored?.api_key : undefined;
    const key = environmentKey ?? storedKey ?? null;
    const keyCommand = key === null && belongs ? (stored?.key_command ?? null) : null;
    if (environmentKey !== undefined && storedKey !== undefined && storedKey !== environmentKey && !this.#hasNotedKey) {
      this.#notes.say(`Using the key from MSGCTL_API_KEY, not the one of the profile '${name}'.`);
      this.#hasNotedKey = true;
    }
    return {
      profile: name,
      baseUrl: address ?? (isSandbox ? null : defaultBaseUrl),
      key,
      keySource: environmentKey !== undefined ? 'environment' : key !== null ? 'profile' : keyCommand === null ? null : 'command',
      keyCommand,
      keyElsewhere: belongs || !(isSandbox || stored?.api_key || stored?.key_command) ? null : (stored?.base_url ?? 'the embedded service'),
      subAccountId: belongs ? stored?.sub_account_id : undefined,
    };
  }

  /** The target of sandbox commands. @throws the errors of `target` */
  sandbox(): SandboxTarget {
    const given = readSecret(this.#world.env, 'MSGCTL_SANDBOX_TOKEN');
    const { name, stored, address, belongs } = this.#place(given !== undefined);
    return {
      profile: belongs ? (name ?? sandboxName) : null,
      origin: address === undefined ? null : originOf(address),
      token: given ?? (belongs ? stored?.sandbox_token : undefined) ?? null,
    };
  }

  /** @param hasSecret whether the environment has the credential. If it has an address too, the profiles are not read. */
  #place(hasSecret: boolean): Place {
    const { env } = this.#world;
    const given = readAddress(this.#globals.baseUrl, env);
    const name = flagOrVariable(this.#globals.profile, env, 'MSGCTL_PROFILE') ?? this.#currentProfile(given !== undefined && hasSecret);
    const isSandbox = name === sandboxName;
    const stored: Partial<Profile> | undefined =
      name === null ? undefined : isSandbox ? this.#profiles.readSandbox(dataDirectory(this.#world)) : this.#profiles.find(name);
    if (name !== null && !stored) throw unknownProfileError(name, this.#profiles.names());
    const address = given ?? stored?.base_url;
    // A stored secret is only sent to the address for which it was stored.
    const belongs = isSandbox ? given === undefined : originOf(stored?.base_url ?? '') === originOf(address ?? '');
    return { name, stored, address, belongs };
  }

  #currentProfile(isOptional: boolean): string | null {
    try {
      return this.#profiles.current();
    } catch (error) {
      if (!isOptional) throw error;
      return null;
    }
  }
}
