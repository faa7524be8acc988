import { CliError, exitCodes } from '../errors.ts';

/** The error of an export whose file or folder another export uses. @param lock the file that tells so */
export function busyError(used: string, lock: string): CliError {
  return new CliError(exitCodes.conflict, 'conflict', `Another export uses ${used}`, {
    hint: `Wait until it finishes. If no other command is running, delete ${lock}.`,
  });
}
