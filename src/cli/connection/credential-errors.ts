import { CliError, exitCodes } from '../errors.ts';
import { tokenHint } from '../explain.ts';

/** A target without a key; see `Target`. */
interface KeylessTarget {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly keyElsewhere: string | null;
}

/** The error for a target without a key. */
export function noKeyError({ profile, baseUrl, keyElsewhere }: KeylessTarget): CliError {
  if (baseUrl === null)
    return notAuthenticated(
      'msgctl does not have the key of this embedded store',
      'Create a new main key with `msgctl sandbox main-key --profile sandbox`, or set MSGCTL_API_KEY.',
    );
  if (keyElsewhere !== null)
    return notAuthenticated(
      `The key of the profile '${profile}' is for ${keyElsewhere}, not for ${baseUrl}`,
      'Omit --base-url and MSGCTL_BASE_URL, choose another profile with --profile, or set MSGCTL_API_KEY to a key of that service.',
    );
  return notAuthenticated(
    profile === null ? 'There is no API key' : `The profile '${profile}' has no API key`,
    'Log in with `msgctl login`, set MSGCTL_API_KEY (and MSGCTL_BASE_URL), or try the embedded service with `--profile sandbox`.',
  );
}

/** The error for an address or directory without a sandbox token. */
export function noTokenError(message: string): CliError {
  return notAuthenticated(message, tokenHint);
}

/** The error for a profile without a sandbox token. Most of these are for services that are not a sandbox. */
export function noProfileTokenError(profile: string, origin: string): CliError {
  return notAuthenticated(
    `The profile '${profile}' has no sandbox token for ${origin}`,
    `${tokenHint} \`--profile sandbox\` chooses the embedded service.`,
  );
}

function notAuthenticated(message: string, hint: string): CliError {
  return new CliError(exitCodes.notAllowed, 'not_authenticated', message, { hint });
}
