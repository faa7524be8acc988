import * as z from 'zod';
import { isKindName } from '../../../../account-as-code/files/settings.ts';
import { variablePattern } from '../../../../account-as-code/files/variables.ts';
import { templates } from '../../../../account-as-code/kinds/templates.ts';
import { commonFields } from '../../../../account-as-code/kinds/schema.ts';
import { isAuthentication } from '../../../../contract/areas/templates/authentication.ts';
import { submissionProblem, variablesProblem } from '../../../../contract/areas/templates/checks.ts';
import { createTemplate } from '../../../../contract/areas/templates/endpoints.ts';
import { parseTemplate, transformNames, variablesOf } from '../../../../contract/areas/templates/placeholders.ts';
import { templateBodyLength, type TemplateCategory, type TemplateType } from '../../../../contract/areas/templates/template.ts';
import { schemaOf } from '../../../../contract/endpoint.ts';
import { problemOf } from '../../../../contract/issues.ts';
import type { ResultRow } from '../../../output/result.ts';
import { suggestion } from '../../../../contract/text/similarity.ts';
import { type FileTemplate, isElsewhere, type FilePosition } from './document.ts';
import { reviewProblems, type TextProblem } from './review.ts';

/** A problem with a template, and its position. */
export interface Problem extends FilePosition {
  readonly field: string | null;
  readonly problem: string;
}

/** The schema of a template in a file: the fields of a creation, and the additional fields that account files can have. */
const templateSchema = () => z.object({ ...templates.schema().shape, ...commonFields(templates), ...schemaOf(createTemplate.body).shape });

/** Checks a template by the rules of the API, and those of the chat app's reviewers. The problems are sorted by position. */
export function checkTemplate(template: FileTemplate): Problem[] {
  // An `absent` record removes a template of a base folder and has only its key.
  if (template.value.absent === true) return [];
  const problems = [...unknownFields(template), ...shapeProblems(template), ...textProblems(template)];
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

function unknownFields({ value, positionOf }: FileTemplate): Problem[] {
  const known = Object.keys(templateSchema().shape);
  return Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => ({ ...positionOf(field, true), field, problem: `is ${unknownReason(field, known)}` }));
}

function unknownReason(field: string, known: readonly string[]): string {
  if (isKindName(field)) return 'a kind of record, not a field of a template: list the templates of the file below `templates:`';
  const meant = suggestion(field, known);
  return `not a field of a template${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** The values that do not match the schema. */
function shapeProblems({ value, positionOf, positionIn }: FileTemplate): Problem[] {
  const issues = templateSchema().safeParse(value).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const field = String(issue.path[0] ?? '');
    const given = value[field];
    // Values from other files or with variables of account files are not known here.
    if (isElsewhere(given) || (field !== 'body' && typeof given === 'string' && given.includes('${'))) return [];
    const isLong = issue.code === 'too_big' && field === 'body';
    const position = isLong ? positionIn(field, templateBodyLength) : positionOf(field);
    const length = isLong && typeof given === 'string' ? `, and has ${given.length}` : '';
    return [{ ...position, field, problem: problemOf(issue) + length }];
  });
}

/** The problems with placeholders and variables. */
function textProblems({ value, positionOf, positionIn }: FileTemplate): Problem[] {
  const { body, variables } = value;
  if (typeof body !== 'string') return [];
  const declared = Array.isArray(variables) && variables.every((name) => typeof name === 'string') ? variables : undefined;
  const text = withoutFileVariables(body, declared ?? []);
  // The body of an authentication template is only a preview.
  const rejected = isAuthentication(categoryOf(value)) ? [] : reviewProblems(text);
  const inBody = [...placeholderProblems(text), ...rejected].map(({ at, problem }) => ({
    ...positionIn('body', at),
    field: 'body',
    problem,
  }));
  const wrong = variablesProblem({ body: text, variables: declared, category: categoryOf(value) });
  const lacking = submissionProblem(typeOf(value), variablesOf(text));
  const found = [wrong, lacking].flatMap((each) => (each ? [{ ...positionOf(each.field), field: each.field, problem: each.reason }] : []));
  return [...inBody, ...found];
}

/**
 * Masks `${name}` in the body, because account files replace it before the API sees it. Declared template variables are not
 * masked.
 */
function withoutFileVariables(body: string, declared: readonly string[]): string {
  return body.replace(variablePattern, (whole: string, name: string | undefined) =>
    name === undefined || declared.includes(name.trim()) ? whole : '.'.repeat(whole.length),
  );
}

function categoryOf({ category }: ResultRow): TemplateCategory {
  return typeof category === 'string' ? (category as TemplateCategory) : 'marketing';
}

function typeOf({ type }: ResultRow): TemplateType {
  return typeof type === 'string' ? (type as TemplateType) : 'general';
}

/** Finds invalid placeholders and unknown transforms. */
function placeholderProblems(body: string): TextProblem[] {
  const problems: TextProblem[] = [];
  let at = 0;
  for (const part of parseTemplate(body)) {
    if (typeof part === 'string') {
      const brace = /\{{1,2}[^{}\n]*\}{0,2}|\}{1,2}/g;
      for (const { 0: found, index } of part.matchAll(brace)) problems.push({ at: at + index, problem: `'${found}' ${reasonFor(found)}` });
      at += part.length;
      continue;
    }
    const [first, ...others] = part.fallback?.split('|') ?? [];
    const transform = others[0] ?? (first !== undefined && suggestion(first, transformNames) !== undefined ? first : undefined);
    if (transform !== undefined)
      problems.push({ at: part.at, problem: `'${transform}' is not a transform; use one of ${transformNames.join(', ')}` });
    at = part.at + part.length;
  }
  return problems;
}

/** The service treats it as plain text. */
const asText = ', so it is sent literally';

function reasonFor(found: string): string {
  const [opening, closing] = [/^\{*/, /\}*$/].map((braces) => braces.exec(found)?.[0].length ?? 0) as [number, number];
  if (opening < closing) return `has no matching {{${asText}`;
  if (opening > closing) return `is not closed${asText}`;
  if (/^\{\s*\d+\s*\}$/.test(found)) return `is not a placeholder${asText}: a number has two braces`;
  return `is not a placeholder${asText}: a name has letters, digits and underscores`;
}
