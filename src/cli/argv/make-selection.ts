import type { Options, Verb } from '../verb/noun.ts';
import { actsOnSubAccounts, isWriteVerb } from '../verb/verb-options.ts';
import { orUsageError } from '../invalid-value.ts';
import { usageError } from '../errors.ts';
import { flagOrVariable, type GlobalOptions } from '../global-options.ts';
import { noRowsError } from '../output/format-errors.ts';
import type { Notes } from '../output/notes.ts';
import type { Selection } from '../output/selection.ts';
import type { World } from '../world.ts';

/**
 * Creates the function that applies `--fields`, `--query` or `--jq` to a result. The options are validated before a request is
 * sent.
 * @throws CliError 2 if they are not valid for the verb
 */
export async function makeSelection(
  verb: Verb,
  options: Options,
  { fields, query, jq, output, subAccount }: GlobalOptions,
  notes: Notes,
  world: World,
): Promise<Selection> {
  const selected = fields ?? query ?? jq;
  const leavesKeyOut = selected !== undefined && fields !== 'all' && !selected.includes('api_key');
  if (leavesKeyOut && verb.makesKey && options.keyFile === undefined && !options.dryRun)
    throw usageError('The new key would be lost: it is shown only once', 'Select api_key too, or write the key to a file with --key-file.');
  if (fields) {
    const [{ checkFields, selectFields, showAllFields }, { allFields, shownFields }] = await Promise.all([
      import('../output/fields.ts'),
      import('../verb/shown-fields.ts'),
    ]);
    if (!verb.shown && verb.scope !== 'any call')
      throw usageError('This command prints a document without fields', 'Select from it with --query or --jq.');
    if (fields === 'all')
      return (result) => (verb.shown && !verb.shown.hasOwnColumns ? showAllFields(result, verb.shown.columns, allFields(verb)) : result);
    // Results merged from several accounts also have the account columns.
    const subAccounts = flagOrVariable(subAccount, world.env, 'MSGCTL_SUB_ACCOUNT');
    const isMerged = actsOnSubAccounts(verb) && subAccounts !== undefined && (await namesSeveralAccounts(subAccounts));
    const ofDryRun = options.dryRun ? (verb.dryRunColumns ?? []) : [];
    if (verb.shown) checkFields(fields, [...shownFields(verb), ...ofDryRun, ...(isMerged ? ['sub_account_id', 'sub_account'] : [])]);
    return (result) => selectFields(result, fields);
  }
  if (query !== undefined) return keepingAnswer(verb, (await import('../output/query.ts')).compileQuery(query, notes));
  if (jq !== undefined) return keepingAnswer(verb, await (await import('../output/jq.ts')).compileJq(jq, world, notes));
  // Checked before the request is sent.
  if (verb.scope === 'any call' && !verb.shown && !options.paginate && (output === 'csv' || output === 'tsv')) throw noRowsError(output);
  return (result) => result;
}

/**
 * If the selection fails, nothing is printed. If the command may have changed something, however, the whole response is
 * printed, because it cannot be requested again.
 */
function keepingAnswer(verb: Verb, select: Selection): Selection {
  if (!verb.endpoint || isWriteVerb(verb)) return select;
  return async (result) => {
    const selected = await select(result);
    if (selected.failure) throw selected.failure;
    return selected;
  };
}

async function namesSeveralAccounts(named: string): Promise<boolean> {
  const { namesSeveral } = await import('../batch/accounts.ts');
  return await orUsageError('--sub-account', named, () => namesSeveral(named));
}
