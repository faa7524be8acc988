import type { ToolCall } from '../../contract/areas/functions/calls.ts';
import { fold } from '../../contract/text/fold.ts';
import { isDeepStrictEqual } from 'node:util';
import { patternOf } from './pattern.ts';
import type { Expectation } from './suite.ts';

/** A FAQ that competed for a reply. */
export interface Competing {
  readonly faq_id: string;
  readonly question: string;
  readonly score: number;
  readonly chosen: boolean;
}

/** What came of a message. */
export interface Observed {
  readonly text: string | null;
  /** `none` without a reply. */
  readonly source: string;
  readonly agent: { readonly id: string; readonly name: string } | null;
  readonly step: string;
  readonly faqs: readonly Competing[];
  readonly calls: readonly ToolCall[];
  readonly tags: readonly string[];
  readonly handover: boolean;
  readonly credits: number;
  /** The name of the model that wrote the reply; null without one. */
  readonly model: string | null;
}

/** An expectation that was not met. */
export interface Flaw {
  readonly expected: string;
  readonly got: string;
}

/** Compares what came of a message with what was expected. @returns what differs */
export function flawsOf(expect: Expectation, observed: Observed): Flaw[] {
  const { source, faq, agent, text, not, tool, tags, handover, step, credits } = expect;
  const flaws: Flaw[] = [];
  const flaw = (expected: string, got: string) => flaws.push({ expected, got });
  const said = observed.text ?? '';
  if (source !== undefined && source !== observed.source) flaw(`source ${source}`, observed.source);
  if (step !== undefined && step !== observed.step) flaw(`step ${step}`, observed.step);
  if (agent !== undefined && !isNamed(agent, observed.agent)) flaw(`agent ${agent}`, observed.agent?.name ?? 'nobody answers');
  const chosen = observed.faqs.filter((each) => each.chosen);
  if (faq !== undefined && !chosen.some((each) => each.faq_id === faq || fold(each.question) === fold(faq)))
    flaw(`faq ${faq}`, chosen.map(({ question }) => question).join(' | ') || 'no FAQ');
  for (const wanted of [text ?? []].flat()) if (!matches(wanted, said)) flaw(`text ${wanted}`, observed.text ?? 'no reply');
  for (const unwanted of [not ?? []].flat()) if (matches(unwanted, said)) flaw(`not ${unwanted}`, said);
  for (const wanted of [tool ?? []].flat())
    if (!observed.calls.some((call) => isCall(wanted, call)))
      flaw(
        `tool ${toolText(wanted)}`,
        observed.calls.map((call) => `${toolText(call)}${call.ok ? '' : ' (failed)'}`).join(', ') || 'no call',
      );
  const missing = (tags ?? []).filter((tag) => !observed.tags.some((has) => fold(has) === fold(tag)));
  if (missing.length > 0) flaw(`tags ${missing.join(', ')}`, observed.tags.join(', ') || 'no tags');
  if (handover !== undefined && handover !== observed.handover)
    flaw(handover ? 'a handover' : 'no handover', observed.handover ? 'handed over to people' : 'not handed over');
  if (credits !== undefined && observed.credits > credits) flaw(`at most ${credits} credits`, String(observed.credits));
  return flaws;
}

function isNamed(name: string, agent: Observed['agent']): boolean {
  return agent !== null && (agent.id === name || fold(agent.name) === fold(name));
}

/** Whether a text contains another one, whatever the case, or matches `/a regular expression/`. */
function matches(wanted: string, text: string): boolean {
  return patternOf(wanted)?.test(text) ?? fold(text).includes(fold(wanted));
}

/** Whether a call is the wanted one, and succeeded. */
function isCall(
  wanted: string | { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
  { name, arguments: given, ok }: ToolCall,
): boolean {
  if (!ok) return false;
  if (typeof wanted === 'string') return wanted === name;
  const had = (given ?? {}) as Record<string, unknown>;
  return wanted.name === name && Object.entries(wanted.arguments ?? {}).every(([key, value]) => isDeepStrictEqual(had[key], value));
}

function toolText(call: string | { readonly name: string; readonly arguments?: unknown }): string {
  if (typeof call === 'string') return call;
  return call.arguments === undefined ? call.name : `${call.name} ${JSON.stringify(call.arguments)}`;
}

/** The expectations that an answer meets, for `--save` and `--from-session`. */
export function expectationOf({ source, faqs, text, calls }: Pick<Observed, 'source' | 'faqs' | 'text' | 'calls'>): Expectation {
  const [faq] = faqs.filter(({ chosen }) => chosen);
  const [call, ...others] = calls.map(({ name, arguments: given }) => ({ name, arguments: given as Record<string, unknown> }));
  return {
    source: source as Expectation['source'],
    ...(source === 'faq' && faq && { faq: faq.question }),
    ...(source !== 'faq' && source !== 'model' && text !== null && { text }),
    ...(call && { tool: others.length === 0 ? call : [call, ...others] }),
  };
}
