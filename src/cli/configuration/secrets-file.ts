import { appendFileSync, chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { kinds } from '../../account-as-code/kinds.ts';
import type { Plan } from '../../account-as-code/plan.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';

/** Takes secrets that are shown only once. */
export interface SecretsFile {
  readonly keep: (secret: { readonly what: string; readonly value: string }) => void;
  readonly close: () => void;
}

/**
 * Opens the file for new secrets before the first write.
 * @throws CliError 2 when a plan makes secrets and no file is named, 1 when the file cannot be written
 */
export function openSecretsFile(plans: readonly Plan[], path: string | undefined): SecretsFile {
  if (path === undefined) {
    if (plans.some(makesSecrets))
      throw usageError('The run makes secrets that are shown only once', 'Name a file for them with --secrets-out FILE.');
    return { keep: () => {}, close: () => {} };
  }
  try {
    const file = openSync(path, 'a', 0o600);
    chmodSync(path, 0o600);
    return {
      keep: ({ what, value }) => {
        appendFileSync(file, `${JSON.stringify({ what, secret: value })}\n`);
        fsyncSync(file);
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write the secrets to ${path}: ${(error as Error).message}`);
  }
}

function makesSecrets({ changes }: Plan): boolean {
  return changes.some(({ kind, action, after }) => after !== null && kinds[kind].makesSecret?.(action, after) === true);
}
