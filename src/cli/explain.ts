import { describeWriteError } from '../contract/file-errors.ts';
import { type ChannelName, numberChannels } from '../contract/areas/channels/names.ts';
import { InterfaceError, InvalidParameter, type KeySource, NetworkError, UnexpectedAnswerError } from '../client/errors.ts';
import { type Reason, saysWhatIsMissing } from '../contract/errors.ts';
import { isCertificateFailure, isUntrusted, networkErrorCode } from '../contract/network-errors.ts';
import { counted } from '../contract/text/counted.ts';
import { CliError, type ExitCode, exitCodes, usageError } from './errors.ts';
import { shellWord } from './output/shell-word.ts';

/** How to find the sandbox token of a server. */
export const tokenHint =
  'Set MSGCTL_SANDBOX_TOKEN to the token of that server. `msgctl serve -o json` prints it, and the file sandbox-token in the data directory of the server contains it. Or start the server with `msgctl serve --profile NAME`.';

const maybeDoneHint = 'The service may have executed the request: check before you repeat it.';

/** Converts anything that was thrown to an error to show to the user. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof InterfaceError) return answerError(error);
  if (error instanceof InvalidParameter) return usageError(error.message);
  if ((error as Error).name === 'InvalidValue') return usageError(`A value ${(error as Error).message}`);
  if (error instanceof NetworkError)
    return new CliError(exitCodes.unavailable, 'network', error.message, {
      hint: error.maybeDone ? maybeDoneHint : networkHint(networkErrorCode(error)),
    });
  if (error instanceof UnexpectedAnswerError)
    return new CliError(error.status >= 500 ? exitCodes.unavailable : exitCodes.failed, 'unexpected_answer', error.message, {
      status: error.status,
      requestId: error.requestId,
      hint: error.maybeDone ? maybeDoneHint : undefined,
    });
  if ((error as Error).name === 'UnsafeFile')
    return usageError((error as Error).message, 'Somebody else could have put it there to read what is written: name a file of your own.');
  if ((error as Error).name === 'CannotListen') return new CliError(exitCodes.failed, 'address', (error as Error).message);
  // Thrown when the service is opened or closed, in this process or in `serve`.
  if ((error as Error).name === 'ServiceUnavailable' || isRefusalOfService(error))
    return new CliError(exitCodes.unavailable, 'service_unavailable', (error as Error).message);
  if ((error as NodeJS.ErrnoException).syscall === 'mkdtemp')
    return new CliError(exitCodes.failed, 'file', `Cannot create a temporary folder: ${describeWriteError(error)}`, {
      hint: 'Set TMPDIR to a folder that can be written.',
    });
  if ((error as Error).name === 'JournalError') return new CliError(exitCodes.failed, 'file', (error as Error).message, { hint: fileHint });
  if (isFileError(error))
    return new CliError(exitCodes.failed, 'file', `Cannot use ${error.path ?? 'a file'}: ${describeWriteError(error)}`, { hint: fileHint });
  return new CliError(exitCodes.failed, 'internal', `Unexpected error: ${(error as Error).message}`, {
    hint: 'This is a bug in msgctl; --debug shows the stack trace.',
  });
}

function networkHint(code: string): string {
  if (isUntrusted(code))
    return 'If it is your own, set NODE_EXTRA_CA_CERTS to a PEM file with that certificate. Otherwise, somebody may be intercepting the connection: check the address.';
  if (isCertificateFailure(code)) return 'Check the address (--base-url, MSGCTL_BASE_URL or the profile), or have the certificate renewed.';
  return 'Check the address (--base-url, MSGCTL_BASE_URL or the profile), and that the service is running: a local service is started with `msgctl serve`.';
}

/** Whether the embedded service answers with a 5xx, such as for a store that another process has locked. */
function isRefusalOfService(error: unknown): boolean {
  const { name, status } = error as Error & { status?: number };
  return name === 'ApiError' && (status ?? 0) >= 500;
}

const fileHint = 'Check that there is space on the disk, and that the folder can be written.';

/** The codes of failures to write to an open file, which have no path. */
const fileCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG']);

/** Whether an error comes from the file system. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  return syscall !== undefined && (path !== undefined || fileCodes.has(code));
}

const codes: Record<number, string> = {
  400: 'invalid_request',
  401: 'not_authenticated',
  402: 'not_enough_credits',
  403: 'not_allowed',
  404: 'not_found',
  409: 'conflict',
  410: 'expired',
  422: 'refused',
  429: 'rate_limited',
};

/** The hint for a rejected key, by the source of the key. */
const keyHints: Record<KeySource, string> = {
  environment: 'MSGCTL_API_KEY holds this key: it was rotated, revoked or mistyped, or it has expired. Correct or unset the variable.',
  profile:
    'The key was rotated, revoked or mistyped, or it has expired. Log in again with `msgctl login`, with the same --profile if you gave one, or choose another profile with --profile.',
  command:
    'The key command of the profile printed this key: it was rotated, revoked or mistyped, or it has expired. Store the right one where the command reads it.',
  embedded: 'Create a new main key with `msgctl sandbox main-key --profile sandbox`.',
  login: 'Check that the key is complete, and that it belongs to the service at this address.',
  'sandbox-token': tokenHint,
};

const hints: Record<number, string> = {
  402: '`msgctl credits` shows the balance. An agency transfers credits with `msgctl accounts transfer`.',
};

const codeHints: ReadonlyMap<InterfaceError['errorCode'], string> = new Map([
  ['key_read_only', 'Use the main key, or allow the scoped key to write with `msgctl keys update KEY --no-read-only`.'],
  ['invalid_scopes', '`msgctl help scopes` lists the sections. A scoped key cannot have the section `API Keys`.'],
]);

const reasonHints: ReadonlyMap<Reason | undefined, string> = new Map<Reason, string>([
  ['clock_running', 'Freeze it first with `msgctl sandbox clock freeze`.'],
  ['do_not_disturb', '`msgctl contacts update CONTACT --no-do-not-disturb` allows messages again.'],
  [
    'member_required',
    'Set MSGCTL_API_KEY to the ID token of a member. On a sandbox, `msgctl sandbox members add` creates a member and prints its token.',
  ],
  ['no_own_account', 'Use `msgctl templates`, which manages the templates of this account.'],
  ['outside_window', '`msgctl templates send` reaches the contact at any time.'],
  ['section_denied', 'Use the main key, or give the scoped key all sections that it needs with `msgctl keys update KEY --section NAMES`.'],
  // For example the one stored in the profile.
  ['sub_account_not_found', 'When the profile acts on it, `msgctl accounts use --own` acts on your own account again.'],
  ['template_not_approved', '`msgctl templates submit TEMPLATE --wait` submits it for review.'],
]);

/** Messages that replace those in terms of the interface. */
const messages: ReadonlyMap<Reason | undefined, string> = new Map<Reason, string>([
  ['clock_running', 'The clock is not frozen'],
  ['sub_account_required', 'This key must name one of its sub-accounts with --sub-account'],
]);

function answerError(error: InterfaceError): CliError {
  return new CliError(exitCodeOf(error.status), codes[error.status] ?? 'service_error', messages.get(error.reason) ?? error.message, {
    hint: refusalHint(error) ?? codeHints.get(error.errorCode) ?? statusHint(error),
    status: error.status,
    errorCode: error.errorCode,
    requestId: error.requestId,
    details: error.details,
  });
}

/** The error for an answer that refuses an option or argument. @param message names it */
export function refusedInputError(error: InterfaceError, message: string, hint?: string): CliError {
  const { status, errorCode, requestId, details } = error;
  return new CliError(exitCodes.usage, 'usage', message, { hint, status, errorCode, requestId, details });
}

/** The hint for what was refused, by its reason or its field. */
function refusalHint({ reason, field, details: { channel }, subAccountId }: InterfaceError): string | undefined {
  const account = subAccountId === undefined ? '' : ` ${shellWord(subAccountId)}`;
  if (field === 'scopes.sub_account_ids') return 'Omit --sub-account-id for a key of your own account.';
  if (reason === 'no_calendar')
    return `On a sandbox, \`msgctl sandbox accounts update${account} --calendar '{"connected": true}'\` connects one.`;
  if (reason === 'channel_not_connected' && typeof channel === 'string')
    return `On a sandbox, \`msgctl sandbox channels add ${shellWord(channel)} ${sampleIdentity(channel)}${account}\` connects one.`;
  return reasonHints.get(reason);
}

/** An example of your own number or name on a channel. */
function sampleIdentity(channel: string): string {
  if (numberChannels.has(channel as ChannelName)) return '+14155550100';
  return channel === 'email' ? 'hello@shop.example' : 'our-shop';
}

function statusHint(error: InterfaceError): string | undefined {
  switch (error.status) {
    case 401:
      return keyHints[error.keySource];
    case 429:
      return rateHint(error);
    case 404:
      return saysWhatIsMissing(error.message) ? undefined : missingHint(error);
    default:
      return error.maybeDone ? maybeDoneHint : hints[error.status];
  }
}

function missingHint({ endpoint }: InterfaceError): string {
  const missing = `${endpoint.includes('{') ? 'There is no such record, or the' : 'The'} service does not have ${endpoint}`;
  return `${missing}: it may be another version. Check the address too (--base-url, MSGCTL_BASE_URL or the profile).`;
}

function rateHint({ clockFrozen, retryAfter }: InterfaceError): string {
  if (clockFrozen) return 'The clock of the sandbox is frozen: `msgctl sandbox clock advance 60` starts the next window.';
  return retryAfter === null ? 'Try again later.' : `Try again in ${counted(retryAfter, 'second')}.`;
}

function exitCodeOf(status: number): ExitCode {
  switch (status) {
    case 401:
    case 403:
      return exitCodes.notAllowed;
    case 404:
      return exitCodes.notFound;
    case 409:
      return exitCodes.conflict;
    case 429:
      return exitCodes.rateLimited;
    default:
      return status >= 500 ? exitCodes.unavailable : exitCodes.failed;
  }
}
