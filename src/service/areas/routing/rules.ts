import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { EntryPointType } from '../../../contract/areas/routing/decide.ts';
import { numberFlaw } from '../../../contract/areas/contacts/phone-text.ts';
import { channelsFlaw, matchConfigs } from '../../../contract/areas/routing/entry-point.ts';
import { invalidField } from '../../errors.ts';
import { parseField } from '../../http/validation.ts';
import type { readPhoneNumber } from '../../../contract/areas/contacts/phone-numbers.ts';
import type { EntryPoint, StoredConfig } from './table.ts';

/** The fields that determine what an entry point matches. */
export interface Matching {
  readonly type: EntryPointType;
  readonly channels: readonly ChannelName[];
  readonly match_config: StoredConfig;
}

/** These fields in a request, before validation. */
interface GivenMatching {
  readonly type: EntryPointType;
  readonly channels: readonly ChannelName[];
  readonly match_config: unknown;
}

/**
 * Validates what an entry point matches.
 * @param readNumber reads a phone number
 * @returns the settings of its type, with their defaults
 * @throws ApiError 400 when the settings are invalid for the type, a comment rule does not cover its channel, or a default has
 * several channels
 */
export function checkMatching({ type, channels: given, match_config }: GivenMatching, readNumber: typeof readPhoneNumber): Matching {
  const channels = [...new Set(given)];
  checkChannels(type, channels);
  const config: StoredConfig = parseField(matchConfigs[type](), match_config ?? {}, 'match_config');
  if (config.phone_numbers === undefined) return { type, channels, match_config: config };
  const numbers = config.phone_numbers.map((text) => {
    const phone = readNumber(text);
    if (!phone) throw invalidField('match_config.phone_numbers', numberFlaw(text, 'must be'));
    return phone.number;
  });
  return { type, channels, match_config: { ...config, phone_numbers: numbers } };
}

/** @throws ApiError 400 when a comment rule does not cover its channel, or a default has several channels */
export function checkChannels(type: EntryPointType, channels: readonly ChannelName[]): void {
  const flaw = channelsFlaw(type, channels);
  if (flaw !== undefined) throw invalidField('channels', flaw);
}

/** The channel and the number of a default. An empty number means the channel as a whole. Null for other types. */
export function scopeOf({ type, channels, match_config }: Matching): Pick<EntryPoint, 'default_channel' | 'default_number'> {
  if (type !== 'channel_default') return { default_channel: null, default_number: null };
  return { default_channel: channels[0] as ChannelName, default_number: match_config.phone_numbers?.[0] ?? '' };
}
