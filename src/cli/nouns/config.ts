import * as contract from '../../contract/areas/config/endpoints.ts';
import { usageError } from '../errors.ts';
import { invalidValueError } from '../invalid-value.ts';
import type { Result } from '../output/result.ts';
import { callVerb } from '../verb/call-verb.ts';
import { fieldType, readArgument } from '../verb/fields.ts';
import { parseWindow } from '../verb/hours.ts';
import { mergeInput } from '../verb/input.ts';
import type { Noun, Session } from '../verb/noun.ts';

const columns = [
  'business_name',
  'timezone',
  'language',
  'default_country',
  'session_hours',
  'quiet_hours',
  'low_credit_threshold',
  'auto_recharge_enabled',
  'auto_recharge_credits',
] as const;

/** Reads `22:00-07:00`. */
function readQuietHours(text: string): object {
  const hours = parseWindow(text);
  if (!hours) throw usageError('quiet_hours must be two times, such as quiet_hours=22:00-07:00');
  return hours;
}

/** How a setting is switched on or off; `config show` says yes and no. */
const switches = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

/** Reads `KEY=VALUE`. An empty value clears the setting. */
async function readSetting(text: string, session: Session): Promise<[string, unknown]> {
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(0, at));
  if (!columns.some((name) => name === key))
    throw usageError(`'${text}' is not a setting as KEY=VALUE`, `The settings are ${columns.join(', ')}.`);
  const value = text.slice(at + 1);
  if (value === '') return [key, null];
  if (key === 'quiet_hours') return [key, readQuietHours(value)];
  const type = fieldType(contract.updateConfig, key);
  if (type.kind !== 'boolean') return [key, await readArgument(value, type, session, key)];
  const isOn = switches.get(value.toLowerCase());
  if (isOn === undefined) throw invalidValueError(key, value, 'must be true or false');
  return [key, isOn];
}

async function set(session: Session, texts: readonly string[]): Promise<Result> {
  const settings = Object.fromEntries(await Promise.all(texts.map((text) => readSetting(text, session))));
  const body = mergeInput(session.input, settings);
  if (Object.keys(body).length === 0) throw usageError('Give at least one setting as KEY=VALUE, or --input');
  const client = await session.targets.client();
  const answer = await client.call(contract.updateConfig, { body });
  return { kind: 'record', answer, record: answer.account_config, columns };
}

export const config: Noun = {
  name: 'config',
  verbs: [
    callVerb({
      name: 'show',
      endpoint: contract.getConfig,
      examples: [['msgctl config show', 'the settings of the account']],
      shown: { field: 'account_config', columns },
    }),
    {
      name: 'set',
      summary: contract.updateConfig.summary,
      examples: [
        ['msgctl config set timezone=Europe/Berlin quiet_hours=22:00-07:00', 'broadcasts wait at night'],
        ['msgctl config set default_country=DE', 'numbers without + are German ones'],
        ['msgctl config set quiet_hours=', 'an empty value clears a setting'],
      ],
      arguments: [{ name: 'setting', summary: 'settings as KEY=VALUE', isOptional: true, isRepeated: true }],
      endpoint: contract.updateConfig,
      shown: { field: 'account_config', columns },
      run: set,
    },
  ],
};
