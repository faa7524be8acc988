import { flagOrVariable } from '../global-options.ts';
import type { Session } from './noun.ts';
import { shellWord } from '../output/shell-word.ts';

/**
 * The options that make another command act on the same service and account, each with a leading space; empty if none are
 * needed.
 * @param accounts the sub-accounts for that command, if they differ from the account of this one
 */
export function sameTarget({ globals, targets, world }: Session, accounts?: string): string {
  const { subAccountId } = targets.resolve();
  // Without the option, the command would act on the account stored in the profile.
  const isChosen = flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT') !== undefined;
  const account = accounts ?? subAccountId ?? (isChosen ? 'own' : undefined);
  const options = { profile: globals.profile, 'base-url': globals.baseUrl, 'sub-account': account };
  return Object.entries(options)
    .map(([flag, value]) => (value === undefined ? '' : ` --${flag} ${shellWord(value)}`))
    .join('');
}
