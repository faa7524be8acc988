import { isAuthentication } from './authentication.ts';
import { variablesOf } from './placeholders.ts';
import type { TemplateCategory, TemplateType } from './template.ts';

/** Why a template is invalid: the field, and the rest of a sentence that begins with the field's name. */
export interface TemplateProblem {
  readonly field: 'body' | 'variables';
  readonly reason: string;
}

interface Text {
  readonly body: string;
  /** As declared; undefined when the variables are taken from the body. */
  readonly variables: readonly string[] | undefined;
  readonly category: TemplateCategory;
}

/** The variables that a smart follow-up must use (rule templates.21). */
const followUpVariables = ['first_name', 'personal_context'];

/** The exclusive maximum length of an authentication code, in characters. */
const codeLength = 15;

/** The problem with the variables of a template (rules templates.11, templates.15); undefined when they are valid. */
export function variablesProblem({ body, variables, category }: Text): TemplateProblem | undefined {
  const used = variablesOf(body);
  const isCode = isAuthentication(category);
  if (variables && !isCode) {
    const unused = variables.filter((name) => !used.includes(name));
    const undeclared = used.filter((name) => !variables.includes(name));
    const repeated = variables.filter((name, index) => variables.indexOf(name) !== index);
    if (undeclared.length > 0)
      return { field: 'variables', reason: `must have every variable of the body: ${list(undeclared)} is missing` };
    if (unused.length > 0) return { field: 'variables', reason: `must be in the body: ${list(unused)} is not` };
    if (repeated.length > 0) return { field: 'variables', reason: `must have each variable once: ${list(repeated)} is repeated` };
  }
  // The body of an authentication template is only a preview.
  if (!isCode || (variables ?? used).length === 1) return undefined;
  const [field, example] = variables ? (['variables', 'code'] as const) : (['body', '{{code}}'] as const);
  return { field, reason: `must have exactly one variable in the category ${category}, such as ${example}` };
}

/** Why a template cannot be submitted (rule templates.21); undefined when it can. */
export function submissionProblem(type: TemplateType, variables: readonly string[]): TemplateProblem | undefined {
  const missing = type === 'smart_followup' ? followUpVariables.filter((name) => !variables.includes(name)) : [];
  return missing.length === 0 ? undefined : { field: 'body', reason: `a smart follow-up must use ${list(missing)}` };
}

/** Why a value cannot fill an authentication template (rule templates.16); undefined when it can. */
export function codeProblem(category: TemplateCategory, name: string, value: string): string | undefined {
  return isAuthentication(category) && [...value].length >= codeLength
    ? `'${name}' must be shorter than ${codeLength} characters`
    : undefined;
}

function list(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
