import { flagOrVariable } from '../global-options.ts';
import type { Session } from './noun.ts';
import { shellWord } from './shell-word.ts';

/**
 * The options with which another command acts where this one does, with a space before each; an empty text when it does
 * so without them.
 * @param accounts the sub-accounts that it names, where that is not the one that this command acts on
 */
export function sameTarget({ globals, targets, world }: Session, accounts?: string): string {
  const { subAccountId } = targets.resolve();
  // A command without the option would act on the account that the profile stores.
  const isChosen = flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT') !== undefined;
  const account = accounts ?? subAccountId ?? (isChosen ? 'own' : undefined);
  const options = { profile: globals.profile, 'base-url': globals.baseUrl, 'sub-account': account };
  return Object.entries(options)
    .map(([flag, value]) => (value === undefined ? '' : ` --${flag} ${shellWord(value)}`))
    .join('');
}
