import * as contract from '../../contract/areas/agency/usage.ts';
import { usageError } from '../errors.ts';
import { callVerb } from '../verb/call-verb.ts';
import { dayForms } from '../verb/days.ts';
import type { Noun } from '../verb/noun.ts';
import { parseNumber } from '../verb/values.ts';

/** Reads `12.50`, `$12.50` or `none`. */
function readPrice(text: string): number | null {
  if (text.toLowerCase() === 'none') return null;
  return parseNumber(/^\$?(\d+(?:\.\d+)?)$/.exec(text)?.[1] ?? '');
}

const usage = callVerb({
  name: 'usage',
  endpoint: contract.getUsage,
  examples: [
    ['msgctl agency usage', 'the last 30 days of each client, with what it costs at your price'],
    ['msgctl agency usage --from last-month -o csv > usage.csv', 'every client, for a spreadsheet'],
  ],
  fields: [
    { field: 'from', placeholder: 'day', summary: `the first day, or all days: ${dayForms}` },
    { field: 'to', placeholder: 'day', summary: 'the last day (default: the end of the range that --from names)' },
  ],
  shown: {
    columns: ['account_id', 'name', 'credits_spent', 'price_usd', 'messages_sent', 'ai_replies', 'conversations', 'balance'],
    table: ['name', 'credits_spent', 'price_usd', 'messages_sent', 'ai_replies', 'conversations', 'balance', 'account_id'],
  },
});

export const agency: Noun = {
  name: 'agency',
  verbs: [
    {
      ...usage,
      isDataset: true,
      run: async (session, values, options) => await (await import('./agency/usage.ts')).showUsage(usage, session, values, options),
    },
    {
      name: 'price',
      summary: 'Show or set at which price the agency sells 1,000 credits',
      examples: [
        ['msgctl agency price', 'the price of 1,000 credits'],
        ['msgctl agency price 12.50', 'in US dollars'],
        ['msgctl agency price none', 'credits are not sold'],
      ],
      arguments: [{ name: 'usd', summary: 'US dollars for 1,000 credits, or none', fills: ['usd_per_1000'], isOptional: true }],
      endpoint: contract.setCreditPrice,
      takesInput: false,
      shown: { field: 'credit_price', columns: ['usd_per_1000'] },
      run: async ({ targets }, [usd]) => {
        const client = await targets.client();
        const answer =
          usd === undefined
            ? await client.call(contract.getCreditPrice, {})
            : await client.call(contract.setCreditPrice, { body: { usd_per_1000: priceOf(usd) } });
        return { kind: 'record', answer, record: answer.credit_price };
      },
    },
  ],
};

function priceOf(text: string): number | null {
  try {
    return readPrice(text);
  } catch {
    throw usageError(`'${text}' is not a price: give US dollars, such as 12.50, or none`);
  }
}
