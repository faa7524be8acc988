import { appendFileSync, closeSync, constants, fstatSync, fsyncSync, readSync } from 'node:fs';
import { describeWriteError } from '../../contract/file-errors.ts';
import { kinds } from '../../account-as-code/kinds.ts';
import { lostSecrets, makesSecret } from '../../account-as-code/run/lost-secrets.ts';
import { kindNames, type NewSecret } from '../../account-as-code/kind.ts';
import type { Live } from '../../account-as-code/live.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';
import type { Client } from '../../client/client.ts';
import type { Session } from '../verb/noun.ts';
import { requireFolderOf } from '../verb/output-file.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { openOwnerOnly, UnsafeFile } from '../files/owner-only.ts';
import type { Notes } from '../output/notes.ts';
import { runJournals } from './planning.ts';
import { shellWord } from '../output/shell-word.ts';

/** Receives secrets that are shown only once. */
export interface SecretsFile {
  /** Writes a secret to the file unless it has it. If that fails, the secret is printed, because its record already exists. */
  readonly keep: (secret: NewSecret & { readonly account?: string | undefined }) => void;
  /** Whether all secrets were written to the file. */
  readonly isComplete: () => boolean;
  readonly close: () => void;
}

/**
 * Opens the file for new secrets before the first write to the account.
 * @throws CliError 2 if a plan creates secrets but no file is given, or its folder does not exist; UnsafeFile if somebody else
 * could have put it there; CliError 1 if the file cannot be written
 */
export function openSecretsFile(plans: readonly Plan[], path: string | undefined, notes: Notes): SecretsFile {
  if (path === undefined) {
    if (plans.some(({ changes }) => changes.some(makesSecret)))
      throw usageError('This run creates secrets that are shown only once', 'Write them to a file with --secrets-out FILE.');
    return { keep: () => {}, isComplete: () => true, close: () => {} };
  }
  requireFolderOf(path, '--secrets-out');
  try {
    const file = openOwnerOnly(path, constants.O_APPEND);
    let isComplete = true;
    return {
      keep: ({ what, value, account }) => {
        try {
          const line = `${JSON.stringify({ what, account, secret: value })}\n`;
          if (textIn(file).includes(line)) return;
          appendFileSync(file, line);
          fsyncSync(file);
        } catch (error) {
          isComplete = false;
          const whose = account === undefined ? '' : ` of ${account}`;
          notes.always([`Cannot write ${what}${whose} to ${path}: store it yourself. ${describeWriteError(error)}`, value]);
        }
      },
      isComplete: () => isComplete,
      close: () => closeSync(file),
    };
  } catch (error) {
    if (error instanceof UnsafeFile) throw error;
    throw new CliError(exitCodes.failed, 'file', `Cannot write the secrets to ${path}: ${describeWriteError(error)}`);
  }
}

/** What an open file contains. */
function textIn(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size);
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
}

/**
 * Reads secrets again that earlier runs created but may not have kept (rule account-as-code.16).
 * @param path the file for secrets. Without it, or if the service does not return the secrets again, prints only a note.
 * @param account the name of the account, if it is one of several
 */
export async function recoverLostSecrets(
  session: Session,
  { live, client }: { readonly live: Live; readonly client: Client },
  path: string | undefined,
  account?: string,
) {
  // Reading the journals takes time, and most accounts have no records with secrets.
  const hasSecrets = kindNames.some((name) => kinds[name].loss?.secret !== undefined && (live.records.get(name) ?? []).length > 0);
  if (!hasSecrets) return;
  const journals = runJournals(session);
  for (const { run, intent, live: record } of lostSecrets(journals.runs(live.account.id), live)) {
    const { noun, loss } = kinds[intent.kind];
    const whose = account === undefined ? '' : ` of ${account}`;
    const what = `The run ${run} may not have stored the secret of the ${noun} '${intent.key}'${whose}`;
    const read = loss?.secret?.read;
    if (!read) {
      const remedy = `If it is not in the --secrets-out file of that run, run \`msgctl keys revoke ${shellWord(record.id)}\` and apply again to get a new key.`;
      session.notes.always(`${what}, which cannot be read again. ${remedy}`);
      continue;
    }
    const secret = await read(client, record);
    if (!secret) continue;
    if (path === undefined) {
      session.notes.always(`${what}. Apply again with --secrets-out FILE to get it.`);
      continue;
    }
    const file = openSecretsFile([], path, session.notes);
    file.keep({ ...secret, account });
    file.close();
    if (!file.isComplete()) continue;
    journals.settle(live.account.id, run, [{ number: intent.number, result: 'made', id: record.id, fieldsAfter: null }]);
    session.notes.say(`${what}; it is in ${path} now.`);
  }
}
