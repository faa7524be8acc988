import * as contract from '../../contract/areas/branding/endpoints.ts';
import { usageError } from '../errors.ts';
import { InvalidValue } from '../invalid-value.ts';
import { isRow } from '../output/result.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, Session } from '../verb/noun.ts';
import { orEmpty, parseList } from '../verb/values.ts';

const columns = [
  'brand_name',
  'storefront_url',
  'support_email',
  'logo_url',
  'colour',
  'storefront.enabled',
  'storefront.slug',
  'storefront.headline',
  'storefront.packages',
] as const;

/** Reads `Small=500:9.99,Large=5000:79`. */
function parsePackages(text: string, previous: unknown): unknown[] {
  const added = parseList(text, undefined).map((each) => {
    const [, name, credits, price] = /^(.+)=(\d+(?:\.\d+)?):\$?(\d+(?:\.\d+)?)$/.exec(each) ?? [];
    if (name === undefined) throw new InvalidValue('must be packages as NAME=CREDITS:USD, such as Small=500:9.99');
    if (/\.\d{3}/.test(price ?? '')) throw new InvalidValue(`must have prices in whole cents; '${name}' has ${price}`);
    return { name, credits: Number(credits), price_usd: Number(price) };
  });
  return [...((previous as unknown[] | undefined) ?? []), ...added];
}

async function storedStorefront({ targets }: Session) {
  return (await (await targets.client()).call(contract.getBranding, {})).white_label.storefront;
}

export const branding: Noun = {
  name: 'branding',
  verbs: [
    callVerb({
      name: 'show',
      endpoint: contract.getBranding,
      examples: [['msgctl branding show', 'the brand of the agency, and the address of its storefront']],
      shown: { field: 'white_label', columns },
    }),
    callVerb({
      name: 'update',
      summary: 'Update the brand of the agency and its storefront',
      endpoint: contract.updateBranding,
      examples: [
        ["msgctl branding update --brand-name Brot --colour '#2563eb' --support-email help@brot.example", 'the brand'],
        ["msgctl branding update --slug brot --packages 'Small=500:9.99,Large=5000:79' --enabled", 'open the storefront'],
        ['msgctl branding update --no-enabled', 'close it; the rest of it stays'],
      ],
      fields: [
        'brand_name',
        'logo_url',
        'colour',
        'support_email',
        { field: 'storefront.enabled', flag: 'enabled', negative: 'close the storefront' },
        { field: 'storefront.slug', flag: 'slug' },
        { field: 'storefront.headline', flag: 'headline' },
        {
          field: 'storefront.packages',
          flag: 'packages',
          placeholder: 'packages',
          summary: "what is sold, as NAME=CREDITS:USD, separated by commas; '' clears it",
          parse: orEmpty(parsePackages),
        },
      ],
      // The service replaces a storefront as a whole.
      body: async ({ storefront, ...fields }, { session }) => {
        if (!storefront) return fields;
        const whole = { ...(isRow(session.input.storefront) ? session.input.storefront : await storedStorefront(session)), ...storefront };
        if (whole.enabled === true && !whole.slug) throw usageError('--enabled needs --slug, the last part of the address');
        return { ...fields, storefront: whole };
      },
      shown: { field: 'white_label', columns },
    }),
  ],
};
