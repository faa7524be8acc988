import { isWrite, subAccountPlace } from '../../contract/endpoint.ts';
import { argumentOption, choicesOf, fieldOptions, fieldType, kebabCase, withDefault } from './fields.ts';
import { keyFileOption } from './key-file.ts';
import type { ArgumentSpec, Completes, OptionSpec, Scope, Verb } from './noun.ts';
import { pageOptions } from './paging.ts';
import { parseDuration } from './values.ts';

/** A positional argument, as used by the command line and the help. */
export interface Argument {
  readonly name: string;
  /** The usage text: `<id>`, `[id]` or `<id...>`. */
  readonly usage: string;
  readonly summary: string;
  readonly completes: Completes | undefined;
  /** The allowed values; undefined if there are too many. */
  readonly choices: readonly string[] | undefined;
  /** The body fields that the verb fills from it, which options can fill too. */
  readonly fills: readonly string[];
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
  /** Whether `@file` stands for what a file says. */
  readonly takesFiles?: boolean;
  /** Whether it corresponds to a field in the body, so that an option or `--input` can provide it instead. */
  readonly isInBody: boolean;
  /** Whether the API requires it, even though an option can provide it instead. */
  readonly isNeeded?: boolean;
}

const inputOption: OptionSpec = {
  flags: '--input <file>',
  summary: 'read the request body from this JSON or YAML file; `-` is stdin; flags override it',
  completes: 'file',
};

const confirmOption: OptionSpec = { flags: '--confirm <name>', summary: 'for scripts: the name that the question asks you to type' };
const watchOption: OptionSpec = {
  flags: '--watch [interval]',
  summary: 'refresh every 5 seconds, or at this interval, such as `10s`; needs a terminal',
  parse: parseDuration,
};

const dryRunOption: OptionSpec = { flags: '--dry-run', summary: 'print the request without sending it' };

/** The name of an argument. */
export function argumentName({ name, param, field }: ArgumentSpec): string {
  return name ?? param ?? kebabCase(field ?? '');
}

/** The arguments of a verb. */
export function argumentsOf({ arguments: specs = [], endpoint }: Verb): Argument[] {
  return specs.map((spec) => {
    const name = argumentName(spec);
    const type = spec.field !== undefined && endpoint ? fieldType(endpoint, spec.field) : undefined;
    const word = spec.isRepeated ? `${name}...` : name;
    return {
      name,
      usage: spec.isOptional ? `[${word}]` : `<${word}>`,
      summary: withDefault(spec.summary ?? type?.description ?? '', spec.isOptional ? type?.defaultText : undefined),
      completes: spec.completes ?? spec.lookup ?? type?.values,
      choices: type && choicesOf(type),
      fills: spec.fills ?? [],
      isOptional: spec.isOptional ?? false,
      isRepeated: spec.isRepeated ?? false,
      takesFiles: spec.takesFiles ?? false,
      isInBody: type !== undefined,
      isNeeded: type?.isRequired === true,
    };
  });
}

/** All options of a verb: for its fields, its own ones, and those of all lists, writes or new keys. */
export function optionsOf(verb: Verb): readonly OptionSpec[] {
  return [
    ...argumentOptions(verb),
    ...fieldOptions(verb),
    ...(verb.options ?? []),
    ...(verb.pages ? pageOptions(verb) : []),
    ...(verb.makesKey ? [keyFileOption] : []),
    ...(verb.wantsName ? [confirmOption] : []),
    ...(verb.watches ? [watchOption] : []),
    ...(takesInput(verb) ? [inputOption] : []),
    ...(isWriteVerb(verb) && !verb.options?.some(({ flags }) => flags === dryRunOption.flags) ? [dryRunOption] : []),
  ];
}

/** The options for arguments that correspond to a field of the body. */
function argumentOptions(verb: Verb): OptionSpec[] {
  const { arguments: specs = [], endpoint } = verb;
  return argumentsOf(verb).flatMap((argument, index) => {
    const field = specs[index]?.field;
    if (!endpoint || field === undefined || argument.isRepeated) return [];
    return [argumentOption(argument, field, fieldType(endpoint, field))];
  });
}

/** The long name of an option without dashes. */
export function optionName(flags: string): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? '';
}

/** What a verb acts on. */
export function scopeOf({ endpoint, scope }: Verb): Scope {
  if (scope !== undefined || !endpoint) return scope ?? 'own account';
  if (endpoint.access === 'sandbox') return 'sandbox';
  return subAccountPlace(endpoint) === null ? 'own account' : 'each account';
}

/** Whether a verb can change something on the service. */
export function isWriteVerb({ endpoint, scope }: Verb): boolean {
  return scope === 'any call' || (endpoint !== undefined && isWrite(endpoint));
}

function takesInput(verb: Verb): boolean {
  return isWriteVerb(verb) && (verb.takesInput ?? (verb.endpoint ? verb.endpoint.body !== undefined : true));
}

/** Whether a verb accepts `--sub-account`. */
export function actsOnSubAccounts(verb: Verb): boolean {
  return !['own account', 'sandbox', 'embedded sandbox'].includes(scopeOf(verb));
}

/** Whether a verb calls the sandbox. */
export function isSandboxVerb(verb: Verb): boolean {
  return ['sandbox', 'embedded sandbox'].includes(scopeOf(verb));
}
