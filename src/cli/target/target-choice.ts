import { flagOrVariable, type GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import { type Profile, type Profiles, sandboxName, unknownProfileError } from '../profiles/profiles.ts';
import type { World } from '../world.ts';
import { originOf, parseAddress, readSecret } from './checks.ts';
import { dataDirectory } from './directories.ts';

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

/** What the commands of the sandbox act on, and their credential. */
export interface SandboxTarget {
  /** The profile whose server or store it is; null for an address that is not that of a profile. */
  readonly profile: string | null;
  /** The server; null for the embedded store. */
  readonly origin: string | null;
  /** The token of the environment or of the profile. The embedded store has its own in its directory. */
  readonly token: string | null;
}

/** The profile of a command, and the address that its flags, the environment or the profile give. */
interface Place {
  readonly name: string | null;
  readonly stored: Partial<Profile> | undefined;
  readonly address: string | undefined;
  /** Whether the address is the one that the secrets of the profile were stored for. */
  readonly belongs: boolean;
}

/**
 * Chooses the service that a command calls. A flag takes precedence over the environment, and the environment over the
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
   * What commands act on.
   * @throws CliError 2 when the profile does not exist or the address is malformed, 4 when the key is malformed
   */
  target(): Target {
    const environmentKey = readSecret(this.#world.env, 'MSGCTL_API_KEY');
    const { name, stored, address, belongs } = this.#place(environmentKey !== undefined);
    const isSandbox = name === sandboxName;
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
      subAccountId: belongs ? stored?.sub_account_id : undefined,
    };
  }

  /** What the commands of the sandbox act on. @throws CliError as `target` does */
  sandbox(): SandboxTarget {
    const given = readSecret(this.#world.env, 'MSGCTL_SANDBOX_TOKEN');
    const { name, stored, address, belongs } = this.#place(given !== undefined);
    return {
      profile: belongs ? (name ?? sandboxName) : null,
      origin: address === undefined ? null : originOf(address),
      token: given ?? (belongs ? stored?.sandbox_token : undefined) ?? null,
    };
  }

  /** @param hasSecret whether the environment has the credential: with an address too, no profile is needed, not even a readable file */
  #place(hasSecret: boolean): Place {
    const { env } = this.#world;
    const given = flagOrVariable(this.#globals.baseUrl, env, 'MSGCTL_BASE_URL');
    const name = flagOrVariable(this.#globals.profile, env, 'MSGCTL_PROFILE') ?? this.#currentProfile(given !== undefined && hasSecret);
    const isSandbox = name === sandboxName;
    const stored: Partial<Profile> | undefined =
      name === null ? undefined : isSandbox ? this.#profiles.readSandbox(dataDirectory(this.#world)) : this.#profiles.find(name);
    if (name !== null && !stored) throw unknownProfileError(name, this.#profiles.names());
    const address = given === undefined ? stored?.base_url : parseAddress(given);
    // A stored secret is sent only to the address that it was stored for.
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
