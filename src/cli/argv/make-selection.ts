import type { Options, Session, Verb } from '../verb/noun.ts';
import { detailsOf, flagOf } from '../verb/fields.ts';
import { rowLimit } from '../verb/paging.ts';
import { actsOnSubAccounts, isWriteVerb } from '../verb/verb-options.ts';
import { orUsageError } from '../invalid-value.ts';
import { usageError } from '../errors.ts';
import { arranges, flagOrVariable, type GlobalOptions } from '../global-options.ts';
import { noRowsError } from '../output/format-errors.ts';
import type { Notes } from '../output/notes.ts';
import type { Selection } from '../output/selection.ts';
import type { World } from '../world.ts';

/**
 * Creates the function that applies `--where` and `--sort`, and then `--fields`, `--query` or `--jq` to a result. The options are
 * validated before a request is sent.
 * @throws CliError 2 if they are not valid for the verb
 */
export async function makeSelection(
  verb: Verb,
  options: Options,
  globals: GlobalOptions,
  notes: Notes,
  session: Pick<Session, 'serviceTime' | 'world'>,
): Promise<Selection> {
  const select = await makeChoice(verb, options, globals, notes, session.world);
  if (!arranges(globals)) return select;
  const arrange = await makeArrangement(verb, options, globals, session);
  return async (result) => await select(await arrange(result));
}

/**
 * Creates the function that applies `--where` and `--sort`.
 * @throws CliError 2 if they are not valid for the verb
 */
async function makeArrangement(
  verb: Verb,
  options: Options,
  globals: GlobalOptions,
  session: Pick<Session, 'serviceTime' | 'world'>,
): Promise<Selection> {
  const { where, sort, subAccount } = globals;
  if (isWriteVerb(verb) || !verb.shown)
    throw usageError('--where and --sort apply only to lists', 'Omit them, or select from the answer with --query or --jq.');
  if (sort.length > 0 && verb.endpoint?.isStream)
    throw usageError('--sort needs a list that ends', 'Omit it, or select rows with --where.');
  if (sort.length > 0 && options.cursor !== undefined)
    throw usageError('--sort and --cursor cannot be used together', '--sort reads the whole list.');
  const [{ arrangement }, { shownFields }, { timesOf }] = await Promise.all([
    import('../output/arrange.ts'),
    import('../verb/shown-fields.ts'),
    import('../verb/condition-times.ts'),
  ]);
  const fields = [...shownFields(verb), ...(await accountFields(verb, subAccount, session.world))];
  const limit = verb.pages && options.limit !== undefined ? rowLimit(options) : undefined;
  const filters = (verb.fields ?? []).map((field) => `--${flagOf(detailsOf(field))}`);
  return arrangement({ where, sort, limit, filters }, { option: '--where', fields, ...verb.shown.conditions, ...timesOf(session) });
}

/** The columns that results merged from several accounts have besides those of the verb. */
async function accountFields(verb: Verb, subAccount: string | undefined, world: World): Promise<readonly string[]> {
  const named = flagOrVariable(subAccount, world.env, 'MSGCTL_SUB_ACCOUNT');
  const isMerged = actsOnSubAccounts(verb) && named !== undefined && (await namesSeveralAccounts(named));
  return isMerged ? ['sub_account_id', 'sub_account'] : [];
}

/**
 * Creates the function that applies `--fields`, `--query` or `--jq`.
 * @throws CliError 2 if they are not valid for the verb
 */
async function makeChoice(
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
    const ofDryRun = options.dryRun ? (verb.dryRunColumns ?? []) : [];
    if (verb.shown) checkFields(fields, [...shownFields(verb), ...ofDryRun, ...(await accountFields(verb, subAccount, world))]);
    return (result) => selectFields(result, fields);
  }
  if (query !== undefined) return keepingAnswer(verb, (await import('../output/query.ts')).compileQuery(query, notes));
  if (jq !== undefined) return keepingAnswer(verb, await (await import('../output/jq.ts')).compileJq(jq, world, notes));
  // Checked before the request is sent.
  if (verb.scope === 'any call' && !verb.shown && !options.paginate && (output === 'csv' || output === 'tsv')) throw noRowsError(output);
  const isDelimited = output === 'csv' || output === 'tsv';
  if (!isDelimited || options.dryRun || !verb.shown) return (result) => result;
  if (verb.shown.hasOwnColumns) return (result) => result;
  const [{ showAllFields }, { dataColumns }] = await Promise.all([import('../output/fields.ts'), import('../verb/shown-fields.ts')]);
  const { columns: shown } = verb.shown;
  const { columns, further } = dataColumns(verb);
  return (result) => showAllFields(result, shown, columns, further);
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
