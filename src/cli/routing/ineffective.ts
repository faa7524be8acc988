import type { ChannelName } from '../../contract/areas/channels/names.ts';
import { appliesOn } from '../../contract/areas/routing/decide.ts';
import type { EntryPointType } from '../../contract/areas/routing/decide.ts';

/** The part of a new rule that decides whether it can do what it says. */
export interface NewRule {
  readonly type?: unknown;
  readonly channels?: unknown;
  readonly first_response_mode?: unknown;
  readonly first_response_exact_text?: unknown;
}

/** What a new rule will never do, as sentences. */
export function ineffective({ type = 'keyword', channels, first_response_mode: mode, first_response_exact_text: text }: NewRule): string[] {
  const idle = Array.isArray(channels) ? channels.filter((channel) => !appliesOn(type as EntryPointType, channel as ChannelName)) : [];
  const isOnlyChoice = type === 'keyword' || type === 'channel_default';
  const hasText = typeof text === 'string' && text !== '';
  return [
    ...(idle.length > 0 ? [`A rule of the type ${String(type)} never applies on ${idle.join(', ')}.`] : []),
    ...(isOnlyChoice && (hasText || mode === 'exact_text')
      ? [`A rule of the type ${String(type)} only chooses the agent, which writes the reply: the first response of the rule is not used.`]
      : []),
    ...(!isOnlyChoice && hasText && mode !== 'exact_text'
      ? ['The exact text of the first response is not sent unless the rule has --first-response-mode exact_text.']
      : []),
  ];
}
