import type { RunningServer } from '../../../service/serve.ts';
import type { Session } from '../../verb/noun.ts';
import type { Profile, Profiles } from '../../profiles/profiles.ts';
import { readSecret } from '../../connection/checks.ts';
import type { ServePlace } from './place.ts';

/** The secrets of a store that are known on this machine. */
interface Secrets {
  readonly token: string | null;
  readonly key: string | null;
}

/**
 * Finds the sandbox token and a key of a store. The store itself has only their digests. A lost token of an embedded store is
 * replaced; the token of a shared store is not, because another server may know it.
 * @param stored the profile given for the server
 * @param needsKey whether to replace a lost key by creating a new main key for the first account
 */
export async function findSecrets(
  server: RunningServer,
  { directory, isEmbedded }: ServePlace,
  stored: Profile | undefined,
  needsKey: boolean,
  { world, targets, notes }: Session,
): Promise<Secrets> {
  const tokens = [readSecret(world.env, 'MSGCTL_SANDBOX_TOKEN'), directory?.readToken(), stored?.sandbox_token];
  const knownToken = server.newStore?.sandboxToken ?? (await firstAccepted(tokens, server.acceptsToken));
  const token = knownToken ?? (isEmbedded ? await server.makeToken() : null);

  // The profile `sandbox` uses the same store.
  const path = directory && isEmbedded ? directory.path : null;
  const keys = [stored?.api_key, path && sandboxKey(targets.profiles, path), world.env.MSGCTL_API_KEY];
  const knownKey = server.newStore?.apiKey ?? (await firstAccepted(keys, server.acceptsKey)) ?? null;
  const key = knownKey ?? (needsKey ? await server.makeKey() : null);
  if (key !== knownKey) notes.say('No working key of this store was found, so the main key was replaced. The old key no longer works.');
  if (path !== null && key !== null && (server.newStore || key !== knownKey)) {
    const remembering = targets.profiles.updateSandbox(path, { api_key: key, ...(server.newStore && { sub_account_id: undefined }) });
    await remembering.catch((error: Error) => notes.always(`The profile 'sandbox' could not store the key: ${error.message}`));
  }
  return { token, key };
}

async function firstAccepted(
  candidates: readonly (string | null | undefined)[],
  accepts: (candidate: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const candidate of candidates) if (candidate && (await accepts(candidate))) return candidate;
  return undefined;
}

/** The server starts even if the profiles cannot be read. */
function sandboxKey(profiles: Profiles, path: string): string | undefined {
  try {
    return profiles.readSandbox(path).api_key;
  } catch {
    return undefined;
  }
}
